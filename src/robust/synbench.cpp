#include "robust/synbench.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/gram.h"
#include "robust/classifiers.h"
#include "robust/debiased.h"

namespace assay {
namespace {

using Part = OperatingPoint ScalePoint::*;

std::vector<OperatingPoint> counted(std::span<const ScalePoint> points, Part part) {
  std::vector<OperatingPoint> out;
  for (const ScalePoint& point : points)
    if (point.status != PointStatus::out_of_reach) out.push_back(point.*part);
  return out;
}

std::optional<double> ratio(std::span<const ScalePoint> points, double threshold, Part part) {
  const double whole = area_above(reference_points(points), threshold);
  if (!(whole > 0.0)) return std::nullopt;
  return area_above(counted(points, part), threshold) / whole;
}

// Directions whose projections say how each training sample moves a classifier.
constexpr Index kDirections = 4;

void debias(const GaussianPair& pair, std::span<const Budget> budgets, double class_prior,
            Classifiers& fitted, ScaleMeasurement& out) {
  for (std::size_t b = 0; b < budgets.size(); ++b) {
    out.not_debiased.push_back(why_not_debiased(pair, budgets[b]));
    if (!out.not_debiased.back().empty()) continue;
    const DebiasedClassifier debiased = debiased_classifier(pair, budgets[b]);
    out.influences[b].debiased = debiased;
    // Nothing but noise: no classifier does better than naming the larger class.
    fitted.points[b].debiased =
        debiased.gap > 0.0 ? expected_point(debiased.gap, std::sqrt(debiased.variance), class_prior)
                           : OperatingPoint{std::max(class_prior, 1.0 - class_prior), 0.0};
  }
}

// The centred training samples along R m, R^2 m, m and w of every budget, n x 4 budgets.
Matrix training_projections(const GaussianPair& pair, const Classifiers& fitted,
                            std::span<const SampleInfluence> influences, const Matrix& centred) {
  Matrix directions(pair.rank(), kDirections * fitted.gaps.size());
  for (Index b = 0; b < fitted.gaps.size(); ++b) {
    const double ridge = influences[static_cast<std::size_t>(b)].debiased.ridge;
    const Vector inverse = (pair.variances.array() + ridge).inverse();
    auto own = directions.middleCols(kDirections * b, kDirections);
    own.col(0) = pair.half_gap.cwiseProduct(inverse);
    own.col(1) = own.col(0).cwiseProduct(inverse);
    own.col(2) = pair.half_gap;
    own.col(3) = fitted.weights.col(b);
  }
  return product(centred, true, product(pair.basis, false, directions, false), false);
}

OperatingPoint raw_point(const SyntheticWorld* world, double scale, double relative_epsilon,
                         double class_prior) {
  return world != nullptr ? world->reference(scale, relative_epsilon, class_prior)
                          : reference_point(scale, relative_epsilon, class_prior);
}

// The share of half the gap that a budget takes; the reference is given the same.
double relative_epsilon(const GaussianPair& pair, const Budget& budget) {
  if (budget.relative || budget.epsilon == 0.0) return budget.epsilon;
  return std::min(budget.epsilon / half_gap_norm(pair, budget), 1.0);
}

}  // namespace

Classifiers robust_classifiers(const GaussianPair& pair, double scale,
                               std::span<const Budget> budgets, double class_prior,
                               const SyntheticWorld* world) {
  const auto count = static_cast<Index>(budgets.size());
  Classifiers out{std::vector<ScalePoint>(budgets.size()), Matrix::Zero(pair.rank(), count),
                  Vector::Zero(count), Vector::Zero(count)};
  for (std::size_t b = 0; b < budgets.size(); ++b) {
    ScalePoint& point = out.points[b];
    point.scale = scale;
    const std::optional<RobustBayes> bayes = robust_bayes(pair, budgets[b]);
    if (!bayes) {
      point.status = pair.degenerate() ? PointStatus::degenerate : PointStatus::out_of_reach;
      if (pair.degenerate()) point.reference = raw_point(world, scale, 0.0, class_prior);
      continue;
    }
    if (!bayes->converged) point.status = PointStatus::not_converged;
    point.expected = expected_point(pair, *bayes, class_prior);
    point.reference = raw_point(world, scale, relative_epsilon(pair, budgets[b]), class_prior);
    out.weights.col(static_cast<Index>(b)) = bayes->weights;
    out.gaps[static_cast<Index>(b)] = pair.half_gap.dot(bayes->weights);
    out.taus[static_cast<Index>(b)] = bayes->tau;
  }
  return out;
}

ScaleMeasurement measure_scale(ThreadPool& pool, double scale, LabelledRepresentation train,
                               LabelledRepresentation test, std::span<const Budget> budgets,
                               double class_prior, const SyntheticWorld* world) {
  const GaussianPair pair = fit_and_centre(pool, train.samples, train.labels);
  Classifiers fitted = robust_classifiers(pair, scale, budgets, class_prior, world);
  ScaleMeasurement out{{}, std::vector<SampleInfluence>(budgets.size()), {}};
  debias(pair, budgets, class_prior, fitted, out);
  const Matrix along = training_projections(pair, fitted, out.influences, train.samples);
  train.samples.resize(0, 0);
  test.samples.colwise() -= pair.midpoint;
  const Matrix directions = product(pair.basis, false, fitted.weights, false);
  const Matrix scores = product(test.samples, true, directions, false);
  for (Index b = 0; b < fitted.gaps.size(); ++b) {
    const double gap = fitted.gaps[b];
    if (!(gap > 0.0)) continue;
    const auto at = static_cast<std::size_t>(b);
    const std::span<const double> u(scores.col(b).data(), test.labels.size());
    OperatingPoint& measured = fitted.points[at].measured;
    measured = measured_point(u, test.labels, gap, class_prior);
    set_test_influence(u, test.labels, measured, gap, class_prior, out.influences[at]);
    set_training_influence(along.middleCols(kDirections * b, kDirections), train.labels, pair,
                           fitted.taus[b], gap, out.influences[at]);
  }
  out.points = std::move(fitted.points);
  return out;
}

// SynBench, Eq. 2 (expected_bound) and Eq. 3 (synbench_value): docs/guide/robust.md.
double expected_bound(std::span<const OperatingPoint> points, double threshold) {
  double sum = 0.0;
  for (const OperatingPoint& point : points)
    if (point.accuracy > threshold) sum += point.bound;
  return points.empty() ? 0.0 : sum / static_cast<double>(points.size());
}

double area_above(std::span<const OperatingPoint> points, double threshold) {
  double sum = 0.0;
  for (const OperatingPoint& point : points)
    sum += point.bound * std::max(0.0, point.accuracy - threshold);
  return points.empty() ? 0.0 : sum / static_cast<double>(points.size());
}

std::optional<double> synbench_value(std::span<const ScalePoint> points, double threshold) {
  return ratio(points, threshold, &ScalePoint::measured);
}

std::optional<double> synbench_expected(std::span<const ScalePoint> points, double threshold) {
  return ratio(points, threshold, &ScalePoint::expected);
}

std::optional<double> synbench_calibrated(std::span<const ScalePoint> points, double threshold) {
  return ratio(points, threshold, &ScalePoint::debiased);
}

std::vector<OperatingPoint> measured_points(std::span<const ScalePoint> points) {
  return counted(points, &ScalePoint::measured);
}
std::vector<OperatingPoint> expected_points(std::span<const ScalePoint> points) {
  return counted(points, &ScalePoint::expected);
}
std::vector<OperatingPoint> reference_points(std::span<const ScalePoint> points) {
  return counted(points, &ScalePoint::reference);
}

}  // namespace assay
