#include "rank/hub_settings.h"

#include "assay/correlation.h"
#include "rank/score_model.h"

namespace assay {

std::size_t best_setting(const Metric& metric, const std::vector<std::vector<double>>& variants,
                         const Metric& judge, const std::vector<double>& judged) {
  const double sign = metric.direction == judge.direction ? 1.0 : -1.0;
  const auto agreement = [&](std::size_t setting) {
    std::vector<double> values;
    for (const std::vector<double>& one : variants) values.push_back(sign * one[setting]);
    return kendall_tau(values, judged).value_or(-2.0);
  };
  std::size_t best = metric.usual_setting;
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

}  // namespace assay
