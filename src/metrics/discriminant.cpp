#include "metrics/discriminant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/gram.h"

namespace assay {
namespace {

// L of (1 - a) W + a tr(W) / dim I.
Matrix shrunk_factor(const ClassScatter& scatter, double shrinkage, Index dim) {
  const Index size = scatter.within.rows();
  const double mean_variance = scatter.within.trace() / static_cast<double>(dim);
  double ridge =
      std::max(shrinkage * mean_variance, std::numeric_limits<double>::epsilon() * scatter.total);
  if (!(ridge > 0.0)) return Matrix::Identity(size, size);
  for (;; ridge *= 10.0) {  // until rounding of W is covered
    Matrix shrunk = (1.0 - shrinkage) * scatter.within;
    shrunk.diagonal().array() += ridge;
    std::optional<Matrix> factor = cholesky(std::move(shrunk));
    if (factor) return std::move(*factor);
  }
}

}  // namespace

ClassScatter class_scatter(ThreadPool& pool, const Matrix& samples,
                           const std::vector<Label>& labels, const std::vector<Index>& counts) {
  const auto n = static_cast<double>(samples.cols());
  const auto classes = static_cast<Index>(counts.size());
  ClassScatter out{Matrix::Zero(samples.rows(), classes), Vector(classes),
                   Matrix::Zero(samples.rows(), samples.rows())};
  for (Index i = 0; i < samples.cols(); ++i)
    out.means.col(labels[static_cast<std::size_t>(i)]) += samples.col(i);
  for (Index c = 0; c < classes; ++c) {
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(c)]);
    out.shares[c] = count / n;
    out.means.col(c) /= count;
  }
  Matrix about = samples;
  for (Index i = 0; i < samples.cols(); ++i)
    about.col(i) -= out.means.col(labels[static_cast<std::size_t>(i)]);
  const GramUpdate<double> update{about.data(), about.cols(), &out.within};
  if (about.rows() > 0) add_to_grams(pool, std::span(&update, 1));
  out.within /= n;
  const Vector mean = out.means * out.shares;
  out.total = (samples.colwise() - mean).squaredNorm() / n;
  return out;
}

// Linear discriminant analysis by Bayes' rule with one covariance for all classes.
Discriminant::Discriminant(const ClassScatter& scatter, double shrinkage, Index dim)
    : factor_(shrunk_factor(scatter, shrinkage, dim)) {
  const Matrix whitened = whiten(scatter.means);
  weights_ = solve_lower_transposed(factor_, whitened);
  intercepts_ =
      scatter.shares.array().log() - 0.5 * whitened.colwise().squaredNorm().transpose().array();
}

Matrix Discriminant::posteriors(const Matrix& samples) const {
  Matrix p = product(weights_, true, samples, false);
  p.colwise() += intercepts_;
  for (Index i = 0; i < p.cols(); ++i) {
    p.col(i).array() -= p.col(i).maxCoeff();
    p.col(i) = p.col(i).array().exp();
    p.col(i) /= p.col(i).sum();
  }
  return p;
}

Matrix Discriminant::whiten(Matrix samples) const {
  return solve_lower(factor_, std::move(samples));
}

double mean_own_posterior(const Matrix& posteriors, const std::vector<Label>& labels) {
  double sum = 0.0;
  for (Index i = 0; i < posteriors.cols(); ++i)
    sum += posteriors(labels[static_cast<std::size_t>(i)], i);
  return sum / static_cast<double>(posteriors.cols());
}

}  // namespace assay
