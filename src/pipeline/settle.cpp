#include "settle.h"

#include "assay/pipeline/score_model.h"
#include "assay/rank/correlation.h"

namespace assay {

std::size_t best_setting(const Metric& metric, const std::vector<const Score*>& scores,
                         const Metric& judge, const std::vector<double>& judged) {
  const double sign = metric.direction == judge.direction ? 1.0 : -1.0;
  const auto agreement = [&](std::size_t setting) {
    std::vector<double> values;
    for (const Score* score : scores) values.push_back(sign * score->variants[setting]);
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

void apply_setting(MetricScore& score, std::size_t setting) {
  score.score.value = score.score.variants[setting];
  for (std::size_t fold = 0; fold < score.replicates.size(); ++fold)
    score.replicates[fold] = score.fold_variants[fold][setting];
}

}  // namespace assay
