#include "robust/synbench.h"

#include <algorithm>
#include <utility>

#include "linalg/gram.h"
#include "robust/classifiers.h"

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

// The share of half the gap that a budget takes; the reference is given the same.
double relative_epsilon(const GaussianPair& pair, const Budget& budget) {
  if (budget.relative || budget.epsilon == 0.0) return budget.epsilon;
  return std::min(budget.epsilon / half_gap_norm(pair, budget), 1.0);
}

}  // namespace

Classifiers robust_classifiers(const GaussianPair& pair, double scale,
                               std::span<const Budget> budgets, double class_prior) {
  const auto count = static_cast<Index>(budgets.size());
  Classifiers out{std::vector<ScalePoint>(budgets.size()), Matrix::Zero(pair.rank(), count),
                  Vector::Zero(count)};
  for (std::size_t b = 0; b < budgets.size(); ++b) {
    ScalePoint& point = out.points[b];
    point.scale = scale;
    const std::optional<RobustBayes> bayes = robust_bayes(pair, budgets[b]);
    if (!bayes) {
      point.status = pair.degenerate() ? PointStatus::degenerate : PointStatus::out_of_reach;
      if (pair.degenerate()) point.reference = reference_point(scale, 0.0, class_prior);
      continue;
    }
    if (!bayes->converged) point.status = PointStatus::not_converged;
    point.expected = expected_point(pair, *bayes, class_prior);
    point.reference = reference_point(scale, relative_epsilon(pair, budgets[b]), class_prior);
    out.weights.col(static_cast<Index>(b)) = bayes->weights;
    out.gaps[static_cast<Index>(b)] = pair.half_gap.dot(bayes->weights);
  }
  return out;
}

std::vector<ScalePoint> measure_scale(ThreadPool& pool, double scale, LabelledRepresentation train,
                                      LabelledRepresentation test, std::span<const Budget> budgets,
                                      double class_prior) {
  const GaussianPair pair = fit_gaussian_pair(pool, std::move(train.samples), train.labels);
  Classifiers fitted = robust_classifiers(pair, scale, budgets, class_prior);
  test.samples.colwise() -= pair.midpoint;
  const Matrix directions = product(pair.basis, false, fitted.weights, false);
  const Matrix scores = product(test.samples, true, directions, false);
  for (Index b = 0; b < fitted.gaps.size(); ++b) {
    if (!(fitted.gaps[b] > 0.0)) continue;
    const std::span<const double> u(scores.col(b).data(), test.labels.size());
    fitted.points[static_cast<std::size_t>(b)].measured =
        measured_point(u, test.labels, fitted.gaps[b], class_prior);
  }
  return std::move(fitted.points);
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
