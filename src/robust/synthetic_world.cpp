#include "robust/synthetic_world.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "assay/error.h"
#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "robust/operating_point.h"
#include "robust/secular.h"

namespace assay {
namespace {

Vector or_all_alike(Vector mean, Index dim) {
  if (mean.size() == 0) return Vector::Ones(dim);
  if (mean.size() != dim) {
    fail_input(fmt::format("`mean` has {} numbers, `covariance` is of {}; expected the same",
                           mean.size(), dim));
  }
  return mean;
}

[[noreturn]] void fail_indefinite(const std::string& where, double smallest) {
  fail_input(
      fmt::format("{}: not positive definite, the smallest variance is {:.3g}; add a little to the "
                  "diagonal",
                  where, smallest));
}

}  // namespace

SyntheticWorld SyntheticWorld::low_rank(Vector mean, Vector diagonal, Matrix factor,
                                        const std::string& where) {
  if (!(diagonal.minCoeff() > 0.0)) fail_indefinite(where, diagonal.minCoeff());
  SyntheticWorld out;
  out.axes_mean_ = or_all_alike(std::move(mean), diagonal.size());
  out.diagonal_ = diagonal.cwiseSqrt().cast<float>();
  out.factor_ = factor.cast<float>();
  out.axes_variances_ = std::move(diagonal);
  out.axes_factor_ = std::move(factor);
  out.mean_ = out.axes_mean_.cast<float>();
  out.normalise();
  return out;
}

SyntheticWorld SyntheticWorld::full(Vector mean, const Matrix& covariance,
                                    const std::string& where) {
  const Vector given = or_all_alike(std::move(mean), covariance.rows());
  const SymmetricEigen eigen = symmetric_eigen(covariance);
  const double least = eigen.values[0];
  const double rounding = eigen.values.tail(1)[0] * static_cast<double>(given.size()) *
                          std::numeric_limits<double>::epsilon();
  if (!(least > rounding)) fail_indefinite(where, least);
  SyntheticWorld out;
  out.factor_ = (eigen.vectors * eigen.values.cwiseSqrt().asDiagonal()).cast<float>();
  out.axes_mean_ = eigen.vectors.transpose() * given;
  out.axes_variances_ = eigen.values;
  out.mean_ = given.cast<float>();
  out.normalise();
  return out;
}

// m' S^-1 m = 1.
void SyntheticWorld::normalise() {
  const double length = std::sqrt(classifier(0.0).gap);
  axes_mean_ /= length;
  mean_ = (mean_.cast<double>() / length).cast<float>();
}

FloatMatrix SyntheticWorld::coloured(const FloatMatrix& noise) const {
  if (diagonal_.size() == 0) return product(factor_, false, noise, false);
  FloatMatrix out = diagonal_.asDiagonal() * noise.topRows(dim());
  if (factor_.cols() > 0) out += product(factor_, false, noise.bottomRows(factor_.cols()), false);
  return out;
}

// (D + U U')^-1 m = D^-1 m - D^-1 U (I + U'D^-1 U)^-1 U'D^-1 m with D = diag(variances) + tau I
// (Woodbury); then w'S w = m'w - tau w'w.
SyntheticWorld::Classifier SyntheticWorld::classifier(double tau) const {
  const Vector inverse = (axes_variances_.array() + tau).inverse();
  Vector w = axes_mean_.cwiseProduct(inverse);
  if (const Index rank = axes_factor_.cols(); rank > 0) {
    const Matrix scaled = inverse.cwiseSqrt().asDiagonal() * axes_factor_;
    const Matrix inner = Matrix::Identity(rank, rank) + product(scaled, true, scaled, false);
    const Matrix root = *cholesky(inner);  // at least the identity
    const Matrix along = axes_factor_.transpose() * w;
    const Matrix solved = solve_lower_transposed(root, solve_lower(root, along));
    w -= inverse.cwiseProduct(axes_factor_ * solved.col(0));
  }
  const double gap = axes_mean_.dot(w);
  return {gap, gap - tau * w.squaredNorm(), tau * w.norm() / axes_mean_.norm()};
}

// The tau whose classifier shifts the means by this share of their length: the shift grows with
// tau, and tau lies between the least and the largest eigenvalue of S times the odds
// (robust/secular.h). Bisection in log tau, to rounding.
double SyntheticWorld::ridge_of(double relative_epsilon) const {
  if (relative_epsilon <= 0.0) return 0.0;
  if (axes_factor_.cols() == 0) return secular_root(axes_mean_, axes_variances_, relative_epsilon);
  const double odds = std::log(relative_epsilon / (1.0 - relative_epsilon));
  const double largest = axes_variances_.maxCoeff() + axes_factor_.squaredNorm();
  double low = odds + std::log(axes_variances_.minCoeff());
  double high = odds + std::log(largest);
  constexpr int halvings = 60;
  for (int k = 0; k < halvings && low < high; ++k) {
    const double middle = 0.5 * (low + high);
    (classifier(std::exp(middle)).shift > relative_epsilon ? high : low) = middle;
  }
  return std::exp(0.5 * (low + high));
}

SyntheticWorld::Classifier SyntheticWorld::robust_classifier(double relative_epsilon) const {
  const std::lock_guard lock(found_->mutex);
  const auto known = found_->by_share.find(relative_epsilon);
  if (known != found_->by_share.end()) return known->second;
  return found_->by_share[relative_epsilon] = classifier(ridge_of(relative_epsilon));
}

// The means at scale s are s m: w grows with s, gap and variance with its square, tau not at all.
OperatingPoint SyntheticWorld::reference(double scale, double relative_epsilon,
                                         double class_prior) const {
  const Classifier one = robust_classifier(relative_epsilon);
  return expected_point(scale * scale * one.gap, scale * std::sqrt(one.variance), class_prior);
}

}  // namespace assay
