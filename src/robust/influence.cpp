#include "robust/influence.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "robust/operating_point.h"
#include "robust/synbench.h"

namespace assay {
namespace {

// What a scale adds to the area of Eq. 3.
double area_of(const OperatingPoint& point, double threshold) {
  return point.bound * std::max(0.0, point.accuracy - threshold);
}

// The part of a product of two sums over samples that each sample is: its own less the mean.
Vector about_mean(const Vector& a, const Vector& b) {
  const Vector products = a.cwiseProduct(b);
  return products.array() - products.mean();
}

// Through the means: class 1 moves the half gap by x / (2 n1), class 0 by -x / (2 n0).
Vector through_means(const Vector& along, std::span<const Label> labels, const GaussianPair& pair) {
  Vector out(along.size());
  for (Index i = 0; i < along.size(); ++i) {
    const bool one = labels[static_cast<std::size_t>(i)] == 1;
    out[i] = along[i] / static_cast<double>(one ? pair.counts[1] : -pair.counts[0]);
  }
  return out;
}

double reference_area(std::span<const ScalePoint> points, double threshold) {
  double sum = 0.0;
  for (const ScalePoint& point : points)
    if (point.status != PointStatus::out_of_reach) sum += area_of(point.reference, threshold);
  return sum;
}

// Slopes of a scale's area by the gap and the variance of its classifier.
struct AreaSlopes {
  double by_gap = 0.0;
  double by_variance = 0.0;
};

AreaSlopes slopes_of(const DebiasedClassifier& at, double threshold, double class_prior) {
  constexpr double step = 1e-5;
  const auto area = [&](double gap, double variance) {
    return area_of(expected_point(gap, std::sqrt(variance), class_prior), threshold);
  };
  const double more = 1.0 + step;
  const double less = 1.0 - step;
  return {
      (area(at.gap * more, at.variance) - area(at.gap * less, at.variance)) / (2.0 * step * at.gap),
      (area(at.gap, at.variance * more) - area(at.gap, at.variance * less)) /
          (2.0 * step * at.variance)};
}

void add_to(Vector& sum, const Vector& part) {
  if (sum.size() == 0) sum = Vector::Zero(part.size());
  sum += part;
}

}  // namespace

void set_training_influence(const Matrix& projections, std::span<const Label> labels,
                            const GaussianPair& pair, double tau, double fitted_gap,
                            SampleInfluence& out) {
  const DebiasedClassifier& to = out.debiased;
  const auto nu = static_cast<double>(pair.samples() - 2);
  const Vector plain = projections.col(0);
  const Vector squared = projections.col(1);
  const Vector fitted = projections.col(3);
  const Vector on_plain = through_means(plain, labels, pair) - about_mean(plain, plain) / nu;
  const Vector on_squared =
      through_means(squared, labels, pair) - 2.0 * about_mean(plain, squared) / nu;
  const Vector on_length = through_means(projections.col(2), labels, pair);
  const double inflated = 1.0 / to.freedom;
  const auto chain = [&](const Sensitivity& by) -> Vector {
    return inflated * (by.plain * on_plain + by.squared * on_squared + by.length * on_length);
  };
  out.gap = chain(to.gap_by);
  out.variance = chain(to.variance_by);
  const double df = (pair.variances.array() / (pair.variances.array() + tau)).sum();
  const double left = std::max(1.0 - df / nu, 1.0 / static_cast<double>(pair.samples()));
  // A bound is about mu'w / m'w: the covariance and the length of w cancel, the means do not.
  out.length = -0.5 / (fitted_gap * left) * through_means(fitted, labels, pair);
}

void set_test_influence(std::span<const double> scores, std::span<const Label> labels,
                        const OperatingPoint& measured, double fitted_gap, double class_prior,
                        SampleInfluence& out) {
  const auto n = static_cast<double>(scores.size());
  out.accuracy = out.bound = Vector::Zero(static_cast<Index>(scores.size()));
  if (measured.accuracy == 0.0) return;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double distance = distance_if_right(scores[i], labels[i], class_prior);
    const double right = distance >= 0.0 ? 1.0 : 0.0;
    const auto at = static_cast<Index>(i);
    out.accuracy[at] = (right - measured.accuracy) / n;
    if (right > 0.0)
      out.bound[at] = (distance / fitted_gap - measured.bound) / (n * measured.accuracy);
  }
}

double value_error(std::span<const ScalePoint> points, std::span<const SampleInfluence> influences,
                   double threshold) {
  Vector test;
  Vector train;
  for (std::size_t s = 0; s < points.size(); ++s) {
    const double above = points[s].measured.accuracy - threshold;
    if (points[s].status == PointStatus::out_of_reach || !(above > 0.0)) continue;
    const double bound = points[s].measured.bound;
    add_to(test, above * influences[s].bound + bound * influences[s].accuracy);
    add_to(train, above * bound * influences[s].length);
  }
  const double whole = reference_area(points, threshold);
  return whole > 0.0 ? std::hypot(test.norm(), train.norm()) / whole : 0.0;
}

double calibrated_error(std::span<const ScalePoint> points,
                        std::span<const SampleInfluence> influences, double threshold,
                        double class_prior) {
  Vector train;
  for (std::size_t s = 0; s < points.size(); ++s) {
    const bool counts = points[s].status != PointStatus::out_of_reach;
    if (!counts || !(area_of(points[s].debiased, threshold) > 0.0)) continue;
    const AreaSlopes slopes = slopes_of(influences[s].debiased, threshold, class_prior);
    add_to(train, slopes.by_gap * influences[s].gap + slopes.by_variance * influences[s].variance);
  }
  const double whole = reference_area(points, threshold);
  return whole > 0.0 ? train.norm() / whole : 0.0;
}

}  // namespace assay
