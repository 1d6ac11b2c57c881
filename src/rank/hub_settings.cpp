#include "rank/hub_settings.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "assay/correlation.h"
#include "rank/balance.h"

namespace assay {
namespace {

double mean_of_draws(const std::vector<double>& draws) {
  return std::accumulate(draws.begin(), draws.end(), 0.0) / static_cast<double>(draws.size());
}

// The values under every setting; of draws their means.
std::vector<double> mean_variants(const MetricScore& score) {
  if (score.draws.empty()) return score.score.variants;
  std::vector<double> out;
  for (std::size_t setting = 0; setting < score.score.variants.size(); ++setting) {
    std::vector<double> values;
    for (const std::vector<double>& draw : score.draw_variants) values.push_back(draw[setting]);
    out.push_back(mean_of_draws(values));
  }
  return out;
}

std::size_t chosen_setting(const RankResult& result, const Metric* metric) {
  const Metric& judge = find_metric(metric->setting_judge);
  const std::size_t mine = metric_index(result, metric);
  const std::size_t other = metric_index(result, &judge);
  std::vector<std::vector<double>> variants;
  std::vector<double> judged;
  for (const ScoredModel& model : result.models) {
    const MetricScore& opinion = model.scores[other];
    variants.push_back(mean_variants(model.scores[mine]));
    judged.push_back(opinion.draws.empty() ? opinion.score.value : mean_of_draws(opinion.draws));
  }
  return best_setting(*metric, variants, judge, judged);
}

// PACTran, appendix B.5 (Ding et al., ECCV 2022): for every setting the balance of its parts and
// its agreement with the judge.
std::vector<SettingStudy> study(const RankResult& result, const Metric* metric) {
  const Metric& judge = find_metric(metric->setting_judge);
  const double sign = metric->direction == judge.direction ? 1.0 : -1.0;
  const std::size_t mine = metric_index(result, metric);
  const std::size_t other = metric_index(result, &judge);
  std::vector<double> judged;
  for (const ScoredModel& model : result.models) {
    const MetricScore& opinion = model.scores[other];
    judged.push_back(sign *
                     (opinion.draws.empty() ? opinion.score.value : mean_of_draws(opinion.draws)));
  }
  std::vector<SettingStudy> out;
  for (std::size_t setting = 0; setting < metric->settings.size(); ++setting) {
    SettingStudy one{.name = metric->settings[setting]};
    std::array<std::vector<double>, 2> parts;
    for (const ScoredModel& model : result.models) {
      const MetricScore& score = model.scores[mine];
      one.values.push_back(mean_variants(score)[setting]);
      if (score.draws.empty() && !score.score.variant_parts.empty()) {
        for (std::size_t k = 0; k < parts.size(); ++k)
          parts[k].push_back(score.score.variant_parts[setting][k]);
      }
    }
    if (parts[0].size() == result.models.size()) one.balance = balance_of(parts[0], parts[1]);
    one.agreement = kendall_tau(one.values, judged);
    out.push_back(std::move(one));
  }
  return out;
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

void apply_setting(MetricScore& score, std::size_t setting) {
  for (std::size_t draw = 0; draw < score.draws.size(); ++draw)
    score.draws[draw] = score.draw_variants[draw][setting];
  score.score.value = score.score.variants[setting];
  for (std::size_t fold = 0; fold < score.replicates.size(); ++fold)
    score.replicates[fold] = score.fold_variants[fold][setting];
}

void choose_hub_settings(RankResult& result) {
  for (const Metric* metric : result.metrics) {
    if (metric->setting_judge.empty()) continue;
    if (!metric->setting_parts[0].empty()) result.setting_studies[metric] = study(result, metric);
    const std::size_t setting = chosen_setting(result, metric);
    result.settings[metric] = setting;
    const std::size_t mine = metric_index(result, metric);
    for (ScoredModel& model : result.models) apply_setting(model.scores[mine], setting);
    for (ScoredModel& control : result.controls) apply_setting(control.scores[mine], setting);
  }
}

std::size_t metric_index(const RankResult& result, const Metric* metric) {
  return static_cast<std::size_t>(std::find(result.metrics.begin(), result.metrics.end(), metric) -
                                  result.metrics.begin());
}

}  // namespace assay
