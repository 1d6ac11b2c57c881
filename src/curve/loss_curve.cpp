#include "curve/loss_curve.h"

#include <cmath>
#include <map>
#include <numeric>

namespace assay {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// In the order of the seeds, so that the mean does not depend on the order of the runs.
CurvePoint point_of(Index n, const std::map<Index, const ProbeRun*>& runs) {
  std::vector<double> losses;
  std::vector<double> accuracies;
  for (const auto& [seed, run] : runs) {
    losses.push_back(run->loss);
    if (run->accuracy) accuracies.push_back(*run->accuracy);
  }
  CurvePoint point{.n = n,
                   .loss = mean_of(losses),
                   .loss_sd = spread_of(losses),
                   .seeds = static_cast<Index>(losses.size())};
  if (accuracies.size() == losses.size()) point.accuracy = mean_of(accuracies);
  return point;
}

}  // namespace

std::optional<double> spread_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double mean = mean_of(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::vector<CurvePoint> points_of(std::span<const ProbeRun> runs) {
  std::map<Index, std::map<Index, const ProbeRun*>> by_size;
  for (const ProbeRun& run : runs) by_size[run.n][run.seed] = &run;
  std::vector<CurvePoint> points;
  points.reserve(by_size.size());
  for (const auto& [n, at_size] : by_size) points.push_back(point_of(n, at_size));
  return points;
}

}  // namespace assay
