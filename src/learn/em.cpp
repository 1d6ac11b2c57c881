#include "learn/em.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "learn/centred_samples.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A sample with a smaller share of a component changes none of its digits. In many dimensions
// nearly all (sample, component) pairs are such, which makes the M-step as cheap as one component.
constexpr double kSmallestShare = 1e-30;

// log w - d/2 log 2 pi - 1/2 log |S|: of the log density all but the distance.
double log_peak(const Mixture& mixture, Index k) {
  const Matrix& factor = mixture.factors[static_cast<std::size_t>(k)];
  const double log_root = factor.diagonal().array().log().sum();
  const double dim = static_cast<double>(factor.rows());
  return std::log(mixture.weights[k]) - 0.5 * dim * std::log(2.0 * std::numbers::pi) - log_root;
}

// Turns log (weight x density), one row per sample, into posteriors in place; returns the sum
// of the samples' log densities.
double normalise(Eigen::Ref<Matrix> logs) {
  double sum = 0.0;
  for (Index i = 0; i < logs.rows(); ++i) {
    const double largest = logs.row(i).maxCoeff();
    logs.row(i) = (logs.row(i).array() - largest).exp();
    const double total = logs.row(i).sum();
    logs.row(i) /= total;
    sum += largest + std::log(total);
  }
  return sum;
}

// Samples that count for a component, and how much.
struct Members {
  std::vector<Index> samples;
  std::vector<double> shares;
  double total = 0.0;
};

Members members_of(const Matrix& posteriors, Index k) {
  Members out;
  out.total = posteriors.col(k).sum();
  for (Index i = 0; i < posteriors.rows(); ++i) {
    const double share = posteriors(i, k);
    if (share <= kSmallestShare * out.total) continue;
    out.samples.push_back(i);
    out.shares.push_back(share);
  }
  return out;
}

Vector mean_of(const Matrix& samples, const Members& members, double total) {
  // From the first member on: exact when all are the same point, wherever that is.
  const Vector origin = samples.col(members.samples.front());
  Vector sum = Vector::Zero(samples.rows());
  for (std::size_t j = 0; j < members.samples.size(); ++j)
    sum += members.shares[j] * (samples.col(members.samples[j]) - origin);
  return origin + sum / total;
}

// Lower triangle of the members' covariance around `mean`.
Matrix covariance_of(ThreadPool& pool, const Matrix& samples, const Members& members, double total,
                     const Vector& mean) {
  const auto count = static_cast<Index>(members.samples.size());
  Matrix sum = Matrix::Zero(samples.rows(), samples.rows());
  Matrix block(samples.rows(), std::min(count, kSampleBlock));
  for (Index b = 0; b < sample_blocks(count); ++b) {
    const SampleRange range = sample_range(b, count);
    for (Index j = 0; j < range.count; ++j) {
      const auto at = static_cast<std::size_t>(range.first + j);
      block.col(j) =
          std::sqrt(members.shares[at] / total) * (samples.col(members.samples[at]) - mean);
    }
    const GramUpdate<double> update{block.data(), range.count, &sum};
    add_to_grams(pool, std::span(&update, 1));
  }
  return sum;
}

}  // namespace

// The E-step and (below) the M-step of EM for Gaussian mixtures (Dempster, Laird and Rubin 1977).
Expectation expect(ThreadPool& pool, const Mixture& mixture, const Matrix& samples) {
  const Index n = samples.cols();
  const Index blocks = sample_blocks(n);
  Expectation out{Matrix(n, mixture.components())};
  Vector peaks(mixture.components());
  for (Index k = 0; k < peaks.size(); ++k) peaks[k] = log_peak(mixture, k);
  Vector sums(blocks);
  pool.run(blocks, [&](Index block) {
    const SampleRange range = sample_range(block, n);
    Matrix scratch;
    for (Index k = 0; k < peaks.size(); ++k) {
      scratch = samples.middleCols(range.first, range.count).colwise() - mixture.means.col(k);
      scratch = solve_lower(mixture.factors[static_cast<std::size_t>(k)], std::move(scratch));
      out.posteriors.col(k).segment(range.first, range.count) =
          peaks[k] - 0.5 * scratch.colwise().squaredNorm().transpose().array();
    }
    sums[block] = normalise(out.posteriors.middleRows(range.first, range.count));
  });
  for (const double sum : sums) out.log_likelihood += sum;
  out.log_likelihood /= static_cast<double>(n);
  return out;
}

Mixture maximize(ThreadPool& pool, const Matrix& samples, const Matrix& posteriors, Mixture before,
                 double regularisation) {
  Mixture out = std::move(before);
  pool.run(out.components(), [&](Index k) {
    const Members members = members_of(posteriors, k);
    // scikit-learn's guard, which also keeps the logarithm of the weight finite.
    const double total = members.total + 10.0 * kEpsilon;
    out.weights[k] = total;
    if (members.total <= 10.0 * kEpsilon) return;
    const Vector mean = mean_of(samples, members, total);
    out.means.col(k) = mean;
    out.factors[static_cast<std::size_t>(k)] =
        regularised_factor(covariance_of(pool, samples, members, total, mean), regularisation);
  });
  out.weights /= out.weights.sum();
  return out;
}

// Rounding alone can make a covariance indefinite by more than the regularisation, when that is
// far below the scale of the data.
Matrix regularised_factor(const Matrix& lower, double regularisation) {
  const double largest = lower.size() > 0 ? lower.diagonal().maxCoeff() : 0.0;
  double extra = 0.0;
  while (true) {
    Matrix raised = lower;
    raised.diagonal().array() += regularisation + extra;
    if (std::optional<Matrix> factor = cholesky(std::move(raised))) return *std::move(factor);
    extra = extra > 0.0 ? 10.0 * extra : std::max(1e-14 * largest, 1e-100);
  }
}

}  // namespace assay
