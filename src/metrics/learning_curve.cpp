#include "metrics/learning_curve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay {
namespace {

constexpr Index kFewSamples = 2 * kProbeFolds;

// How much of what came between half of the rows and `share` of them is still to come, if the
// measure goes as a - b m^-g.
double share_to_come(double share, double g) {
  return (std::pow(share, -g) - 1.0) / (std::pow(0.5, -g) - std::pow(share, -g));
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> by_some_folds(const std::vector<double>& by_half,
                                  const std::vector<double>& by_folds,
                                  const std::vector<Index>& tested) {
  std::vector<double> out = by_half;
  const double share = static_cast<double>(tested.size()) / static_cast<double>(by_half.size());
  for (const Index i : tested) {
    const auto at = static_cast<std::size_t>(i);
    out[at] += (by_folds[at] - by_half[at]) / share;
  }
  return out;
}

double gain_error(const std::vector<double>& by_half, const std::vector<double>& by_folds,
                  const std::vector<Index>& tested) {
  const auto count = static_cast<double>(tested.size());
  double sum = 0.0;
  double squares = 1.0;
  for (const Index i : tested) {
    const auto at = static_cast<std::size_t>(i);
    const double gained = by_folds[at] - by_half[at];
    sum += gained;
    squares += gained * gained;
  }
  return std::sqrt(std::max(0.0, squares - sum * sum / count)) / count;
}

// A(n) = A(0.9 n) + w (A(0.9 n) - A(n/2)) of accuracy.h. w lies between the weights of g = 1 and g
// = 1/2; half their difference is part of the interval (docs/metrics/accuracy.md).
Score extrapolated(const LearningCurve& curve, double least, double most) {
  const double share = 1.0 - 1.0 / static_cast<double>(curve.folds);
  const double half = mean_of(curve.by_half);
  const double held_out = mean_of(curve.by_folds);
  const double gained = held_out - half;
  double weight = 0.0;
  double doubt = 0.0;
  if (share > 0.5) {
    const double slow = share_to_come(share, 0.5);
    const double fast = share_to_come(share, 1.0);
    weight = 0.5 * (slow + fast);
    doubt = 0.5 * (slow - fast);
  }
  const double room = gained > 0.0 ? most - held_out : held_out - least;
  if (gained != 0.0) weight = std::min(weight, room / std::abs(gained));
  Score score;
  for (std::size_t i = 0; i < curve.by_half.size(); ++i)
    score.per_sample.push_back(curve.by_folds[i] + weight * (curve.by_folds[i] - curve.by_half[i]));
  score.value = mean_of(score.per_sample);
  // The random part of what training on so few rows costs is about what the second half of them
  // brought, with the deviation of an average of squares in so many directions.
  score.extra_variance = std::pow(doubt * gained, 2) +
                         2.0 / std::max(1.0, curve.directions) * std::pow(score.value - half, 2);
  score.details = {{"held_out", held_out}, {"half", half}, {"training_share", share}};
  if (std::ssize(curve.by_half) < kFewSamples) score.flags.emplace_back("too_few");
  return score;
}

Score nothing_held_out(const Samples& samples) {
  Score score;
  score.flags.emplace_back("too_few");
  score.per_sample.assign(static_cast<std::size_t>(samples.count()), 0.0);
  return score;
}

}  // namespace assay
