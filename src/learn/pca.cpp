#include "learn/pca.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "learn/centred_samples.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"

namespace assay {
namespace {

// Sum over the samples of (x - mean)(x - mean)'.
Matrix scatter(ThreadPool& pool, const Matrix& samples, const Vector& mean) {
  Matrix sum = Matrix::Zero(samples.rows(), samples.rows());
  for (Index block = 0; block < sample_blocks(samples.cols()); ++block) {
    const Matrix x = centred(samples, sample_range(block, samples.cols()), mean);
    const GramUpdate<double> update{x.data(), x.cols(), &sum};
    add_to_grams(pool, std::span(&update, 1));
  }
  return sum;
}

// Inner products of the centred samples.
Matrix kernel(ThreadPool& pool, const Matrix& centred_samples) {
  const Matrix features = centred_samples.transpose();
  Matrix sum = Matrix::Zero(features.rows(), features.rows());
  const GramUpdate<double> update{features.data(), features.cols(), &sum};
  add_to_grams(pool, std::span(&update, 1));
  return sum;
}

struct Choice {
  Index count = 0;
  double explained = 0.0;
};

// `values` ascending, of a matrix whose entries are sums over `larger_side` terms.
Choice choose(const Vector& values, Index larger_side, double share) {
  const Index size = values.size();
  const double largest = size > 0 ? values[size - 1] : 0.0;
  if (!(largest > 0.0)) return {};
  const double cut =
      largest * static_cast<double>(larger_side) * std::numeric_limits<double>::epsilon();
  double total = 0.0;
  for (const double value : values) total += value > cut ? value : 0.0;
  Choice out;
  double sum = 0.0;
  while (out.count < size && values[size - 1 - out.count] > cut && !(sum > share * total)) {
    sum += values[size - 1 - out.count];
    ++out.count;
  }
  out.explained = std::min(1.0, sum / total);
  return out;
}

// The last `count` eigenvectors, the largest first.
Matrix leading(const Matrix& vectors, Index count) {
  return vectors.rightCols(count).rowwise().reverse();
}

// Directions X v / |X v| from eigenvectors v of the kernel. Those of small variance come out
// with errors along the large ones; a Cholesky factor of their Gram matrix takes these out.
Matrix from_kernel(ThreadPool& pool, const Matrix& centred_samples, const Matrix& vectors) {
  Matrix directions = product(centred_samples, false, vectors, false);
  for (Index j = 0; j < directions.cols(); ++j) directions.col(j).normalize();
  Matrix rows = directions.transpose();
  Matrix gram = Matrix::Zero(rows.rows(), rows.rows());
  const GramUpdate<double> update{rows.data(), rows.cols(), &gram};
  add_to_grams(pool, std::span(&update, 1));
  if (const std::optional<Matrix> factor = cholesky(std::move(gram)))
    directions = solve_lower(*factor, std::move(rows)).transpose();
  return directions;
}

void fix_signs(Matrix& directions) {
  for (Index j = 0; j < directions.cols(); ++j) {
    Index largest = 0;
    directions.col(j).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, j) < 0.0) directions.col(j) = -directions.col(j);
  }
}

}  // namespace

// Eigenvectors of the covariance or, through X'v / sqrt(lambda), of the kernel: whichever is
// smaller (pca.h).
Pca fit_pca(ThreadPool& pool, const Matrix& samples, double share) {
  const Index n = samples.cols();
  const Index dim = samples.rows();
  Pca out{sample_mean(samples), Matrix(dim, 0), Vector(0)};
  if (n < 2 || dim == 0) return out;
  const bool by_covariance = n > dim;
  const Matrix x = by_covariance ? Matrix() : centred(samples, {0, n}, out.mean);
  const SymmetricEigen eigen =
      symmetric_eigen(by_covariance ? scatter(pool, samples, out.mean) : kernel(pool, x));
  const Choice choice = choose(eigen.values, std::max(n, dim), share);
  out.explained = choice.explained;
  out.variances = eigen.values.tail(choice.count).reverse() / static_cast<double>(n - 1);
  const Matrix vectors = leading(eigen.vectors, choice.count);
  out.directions = by_covariance ? vectors : from_kernel(pool, x, vectors);
  fix_signs(out.directions);
  return out;
}

Matrix Pca::project(const Matrix& samples) const {
  Matrix out(directions.cols(), samples.cols());
  for (Index block = 0; block < sample_blocks(samples.cols()); ++block) {
    const SampleRange range = sample_range(block, samples.cols());
    out.middleCols(range.first, range.count) =
        product(directions, true, centred(samples, range, mean), false);
  }
  return out;
}

}  // namespace assay
