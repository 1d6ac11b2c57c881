#include "prior/lidar.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "data/check_finite.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "linalg/tridiagonal.h"
#include "prior/effective_rank.h"
#include "prior/kernel_vectors.h"

namespace assay {
namespace {

constexpr double kWithin = 1e-4;  // on the diagonal of S_w, the paper's

struct ViewScatter {
  Matrix between, within;  // D x D, lower
};

void add_gram(ThreadPool& pool, const Matrix& samples, Matrix& gram) {
  const GramUpdate<double> update{samples.data(), samples.cols(), &gram};
  add_to_grams(pool, std::span(&update, 1));
}

ViewScatter scatter_of_views(ThreadPool& pool, const RowSource& rows, Index views) {
  const Index dim = rows.cols();
  const Index samples = rows.rows() / views;
  ViewScatter out{Matrix::Zero(dim, dim), Matrix::Zero(dim, dim)};
  Vector sum = Vector::Zero(dim);
  const Index together = std::max<Index>(1, 1024 / views);
  for (Index first = 0; first < samples; first += together) {
    const Index count = std::min(together, samples - first);
    std::vector<Index> part(static_cast<std::size_t>(count * views));
    std::iota(part.begin(), part.end(), first * views);
    Matrix x(dim, count * views);
    rows.read(part, x.data());
    Matrix means(dim, count);
    for (Index i = 0; i < x.cols(); ++i) {
      const double magnitude = checked_magnitude(rows, first * views + i, x.col(i).data());
      if (magnitude > kLargestValue) refuse_magnitude(rows, first * views + i, magnitude);
    }
    for (Index i = 0; i < count; ++i) {
      auto own = x.middleCols(i * views, views);
      means.col(i) = own.rowwise().mean();
      own.colwise() -= means.col(i).eval();
    }
    sum += means.rowwise().sum();
    add_gram(pool, x, out.within);
    add_gram(pool, means, out.between);
    rows.release(first * views, (first + count) * views);
  }
  const auto n = static_cast<double>(samples);
  out.between = out.between / n - (sum / n) * (sum / n).transpose();
  out.within /= n * static_cast<double>(views);
  out.within.diagonal().array() += kWithin;
  return out;
}

}  // namespace

double lidar(ThreadPool& pool, const RowSource& rows, Index views) {
  ViewScatter scatter = scatter_of_views(pool, rows, views);
  scatter.between = scatter.between.selfadjointView<Eigen::Lower>();
  const Matrix root = *cholesky(std::move(scatter.within));  // the diagonal keeps it definite
  // L^-1 S_b L'^-1 has the eigenvalues of S_w^-1/2 S_b S_w^-1/2.
  Matrix half = solve_lower(root, std::move(scatter.between));
  Matrix whole = solve_lower(root, half.transpose());
  const Vector values = tridiagonalize(std::move(whole)).eigenvalues;
  return effective_rank(values.cwiseMax(0.0));
}

}  // namespace assay
