#include "robust/operating_point.h"

#include <cmath>
#include <numbers>

namespace assay {
namespace {

double normal_cdf(double t) { return 0.5 * std::erfc(-t / std::numbers::sqrt2); }
double normal_density(double t) {
  return std::exp(-0.5 * t * t) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

double decision_threshold(double class_prior) {
  return 0.5 * std::log((1.0 - class_prior) / class_prior);
}

}  // namespace

// SynBench, Results 2.2 and 2.3: accuracy Phi(t) and bound phi(t) / (t Phi(t)) + 1 for balanced
// classes; unequal ones move the threshold (Result 2.1).
OperatingPoint expected_point(double gap, double sd, double class_prior) {
  const double threshold = decision_threshold(class_prior);
  OperatingPoint out;
  double distance = 0.0;
  // Class 1 is right above the threshold, class 0 below: mirrored, above minus the threshold.
  const auto add = [&](double share, double ahead) {
    const double t = ahead / sd;
    out.accuracy += share * normal_cdf(t);
    distance += share * (ahead * normal_cdf(t) + sd * normal_density(t));
  };
  add(class_prior, gap - threshold);
  add(1.0 - class_prior, gap + threshold);
  if (out.accuracy > 0.0) out.bound = distance / (out.accuracy * gap);
  return out;
}

OperatingPoint expected_point(const GaussianPair& pair, const RobustBayes& bayes,
                              double class_prior) {
  const double gap = pair.half_gap.dot(bayes.weights);
  const double variance = bayes.weights.cwiseAbs2().dot(pair.variances);
  return expected_point(gap, std::sqrt(variance), class_prior);
}

OperatingPoint reference_point(double scale, double relative_epsilon, double class_prior) {
  const double length = 1.0 - relative_epsilon;  // w = (1 - epsilon) mu
  return expected_point(length * scale * scale, length * scale, class_prior);
}

double distance_if_right(double score, Label label, double class_prior) {
  const double ahead = score - decision_threshold(class_prior);
  return (ahead > 0.0) == (label == 1) ? std::abs(ahead) : -1.0;
}

OperatingPoint measured_point(std::span<const double> scores, std::span<const Label> labels,
                              double gap, double class_prior) {
  double correct = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double distance = distance_if_right(scores[i], labels[i], class_prior);
    if (distance < 0.0) continue;
    ++correct;
    sum += distance;
  }
  if (correct == 0.0) return {};
  return {correct / static_cast<double>(scores.size()), sum / (correct * gap)};
}

}  // namespace assay
