#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "rank/hub_settings.h"

namespace assay {
namespace {

// Least and largest value of every part over the models.
class PartRanges {
 public:
  explicit PartRanges(std::size_t parts)
      : low_(parts, std::numeric_limits<double>::infinity()), high_(parts, -low_.front()) {}

  void include(std::span<const double> parts) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      low_[k] = std::min(low_[k], parts[k]);
      high_[k] = std::max(high_[k], parts[k]);
    }
  }

  // Differences that are rounding of the values tell nothing: the part is then 0 for all.
  double sum(std::span<const double> parts) const {
    double out = 0.0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const double width = high_[k] - low_[k];
      const double rounding = 1e-12 * std::max(std::abs(high_[k]), std::abs(low_[k]));
      if (width > rounding) out += (parts[k] - low_[k]) / width;
    }
    return out;
  }

 private:
  std::vector<double> low_;
  std::vector<double> high_;
};

void apply_ranges(MetricScore& score, const PartRanges& ranges,
                  const std::vector<PartRanges>& of_draws) {
  for (std::size_t draw = 0; draw < score.draws.size(); ++draw)
    score.draws[draw] = of_draws[draw].sum(score.draw_variants[draw]);
  score.score.value = ranges.sum(score.score.variants);
  for (std::size_t fold = 0; fold < score.replicates.size(); ++fold)
    score.replicates[fold] = ranges.sum(score.fold_variants[fold]);
}

struct HubRanges {
  PartRanges all;
  std::vector<PartRanges> of_draws;
};

HubRanges ranges_over_models(const Metric* metric, const RankResult& result) {
  const std::size_t mine = metric_index(result, metric);
  const PartRanges none(metric->settings.size());
  HubRanges out{none, std::vector<PartRanges>(static_cast<std::size_t>(result.draws), none)};
  for (const ScoredModel& model : result.models) {
    const MetricScore& score = model.scores[mine];
    out.all.include(score.score.variants);
    for (std::size_t draw = 0; draw < score.draw_variants.size(); ++draw)
      out.of_draws[draw].include(score.draw_variants[draw]);
  }
  return out;
}

}  // namespace

// The sum of NCTI (Wang et al., ICCV 2023, section 3): without ranges over the hub the part with
// the largest numbers would decide alone.
void sum_hub_parts(RankResult& result) {
  for (const Metric* metric : result.metrics) {
    if (!metric->sums_parts) continue;
    const HubRanges ranges = ranges_over_models(metric, result);
    const std::size_t mine = metric_index(result, metric);
    for (ScoredModel& model : result.models)
      apply_ranges(model.scores[mine], ranges.all, ranges.of_draws);
    for (ScoredModel& control : result.controls)
      apply_ranges(control.scores[mine], ranges.all, ranges.of_draws);
  }
}

void sum_hub_parts_of(const RankResult& result, ScoredModel& control) {
  for (const Metric* metric : result.metrics) {
    if (!metric->sums_parts) continue;
    const HubRanges ranges = ranges_over_models(metric, result);
    apply_ranges(control.scores[metric_index(result, metric)], ranges.all, ranges.of_draws);
  }
}

}  // namespace assay
