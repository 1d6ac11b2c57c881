#include "robust/bayes.h"

#include <utility>

#include "robust/nearest_shift.h"
#include "robust/secular.h"

namespace assay {
namespace {

double norm_of(const Vector& values, Norm norm) {
  switch (norm) {
    case Norm::one:
      return values.lpNorm<1>();
    case Norm::two:
      return values.norm();
    case Norm::infinity:
      break;
  }
  return values.lpNorm<Eigen::Infinity>();
}

RobustBayes euclidean(const GaussianPair& pair, double radius, double ratio) {
  RobustBayes out;
  out.epsilon = radius;
  out.tau = secular_root(pair.half_gap, pair.variances, ratio);
  out.weights = pair.half_gap.cwiseQuotient((pair.variances.array() + out.tau).matrix());
  out.shift = out.tau * out.weights;
  return out;
}

}  // namespace

double half_gap_norm(const GaussianPair& pair, const Budget& budget) {
  if (budget.norm == Norm::two || budget.eigenbasis) return norm_of(pair.half_gap, budget.norm);
  return norm_of(pair.basis * pair.half_gap, budget.norm);
}

// Results 2.1, 2.2 and C.1 of SynBench (Ko et al.): w = Lambda^-1 (mu~ - z) with z the nearest
// shift of the ball.
std::optional<RobustBayes> robust_bayes(const GaussianPair& pair, const Budget& budget) {
  if (pair.degenerate()) return std::nullopt;
  const double gap = half_gap_norm(pair, budget);
  const double ratio = budget.relative ? budget.epsilon : budget.epsilon / gap;
  if (!(ratio < 1.0)) return std::nullopt;
  const double radius = ratio * gap;
  if (ratio <= 0.0) {  // Bayes' own classifier
    return RobustBayes{.weights = pair.half_gap.cwiseQuotient(pair.variances),
                       .shift = Vector::Zero(pair.rank())};
  }
  if (budget.norm == Norm::two) return euclidean(pair, radius, ratio);
  NearestShift nearest =
      budget.eigenbasis ? nearest_in_eigenbasis(pair.half_gap, pair.variances, radius, budget.norm)
                        : nearest_in_features(pair, radius, budget.norm);
  return RobustBayes{.weights = std::move(nearest.weights),
                     .shift = std::move(nearest.shift),
                     .epsilon = radius,
                     .converged = nearest.converged};
}

}  // namespace assay
