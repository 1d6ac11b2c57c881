#include "rank/hub_settings.h"

#include <algorithm>

#include "assay/correlation.h"

namespace assay {
namespace {

// The setting for all rows (draw < 0) or for one draw.
std::size_t chosen_setting(const RankResult& result, const Metric* metric, Index draw) {
  const Metric& judge = find_metric(metric->setting_judge);
  const std::size_t mine = metric_index(result, metric);
  const std::size_t other = metric_index(result, &judge);
  const auto k = static_cast<std::size_t>(draw);
  std::vector<std::vector<double>> variants;
  std::vector<double> judged;
  for (const ScoredModel& model : result.models) {
    const MetricScore& score = model.scores[mine];
    const MetricScore& opinion = model.scores[other];
    variants.push_back(draw < 0 ? score.score.variants : score.draw_variants[k]);
    judged.push_back(draw < 0 ? opinion.score.value : opinion.draws[k]);
  }
  return best_setting(*metric, variants, judge, judged);
}

}  // namespace

std::size_t best_setting(const Metric& metric, const std::vector<std::vector<double>>& variants,
                         const Metric& judge, const std::vector<double>& judged) {
  const double sign = metric.direction == judge.direction ? 1.0 : -1.0;
  const auto agreement = [&](std::size_t setting) {
    std::vector<double> values;
    for (const std::vector<double>& one : variants) values.push_back(sign * one[setting]);
    return kendall_tau(values, judged).value_or(-2.0);
  };
  std::size_t best = metric.default_setting;
  double most = agreement(best);
  for (std::size_t setting = 0; setting < metric.settings.size(); ++setting) {
    const double tau = agreement(setting);
    if (tau <= most) continue;
    most = tau;
    best = setting;
  }
  return best;
}

void apply_settings(MetricScore& score, const std::vector<std::size_t>& settings) {
  for (std::size_t draw = 0; draw < score.draws.size(); ++draw)
    score.draws[draw] = score.draw_variants[draw][settings[draw]];
  score.score.value = score.score.variants[settings.front()];
  for (std::size_t fold = 0; fold < score.replicates.size(); ++fold)
    score.replicates[fold] = score.fold_variants[fold][settings.front()];
}

void choose_hub_settings(RankResult& result) {
  for (const Metric* metric : result.metrics) {
    if (metric->setting_judge.empty()) continue;
    std::vector<std::size_t>& settings = result.settings[metric];
    if (result.draws == 0) settings.push_back(chosen_setting(result, metric, -1));
    for (Index draw = 0; draw < result.draws; ++draw)
      settings.push_back(chosen_setting(result, metric, draw));
    const std::size_t mine = metric_index(result, metric);
    for (ScoredModel& model : result.models) apply_settings(model.scores[mine], settings);
    for (ScoredModel& control : result.controls) apply_settings(control.scores[mine], settings);
  }
}

std::size_t metric_index(const RankResult& result, const Metric* metric) {
  return static_cast<std::size_t>(std::find(result.metrics.begin(), result.metrics.end(), metric) -
                                  result.metrics.begin());
}

}  // namespace assay
