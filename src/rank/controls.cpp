#include "rank/controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/random.h"
#include "data/subset.h"
#include "rank/hub_settings.h"
#include "rank/score_draws.h"

namespace assay {
namespace {

Rows noise_rows(Index samples, Index dim, std::uint64_t seed) {
  Random random(seed + 1);
  Matrix noise(samples, dim);
  for (double& value : noise.reshaped()) value = random.normal();
  return rows_of_matrix(noise, "noise control");
}

Targets permute_targets(const Targets& targets, std::uint64_t seed) {
  Random random(seed + 2);
  return targets_of_rows(targets, random.permutation(targets.rows()));
}

// Controls have no source model: metrics on its probabilities stay empty.
ScoredModel score_control(ThreadPool& pool, const RankPlan& plan, const OpenModel& model,
                          const Targets& targets) {
  const std::vector<const Metric*>& all = plan.metrics.all();
  std::vector<const Metric*> possible;
  for (const Metric* metric : all) {
    if (metric->from_probabilities == nullptr || model.probabilities) possible.push_back(metric);
  }
  ScoredModel scored = score_rows(pool, plan, model, targets, possible, {});
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (m < scored.scores.size() && scored.scores[m].metric == all[m]) continue;
    MetricScore missing{.metric = all[m]};
    missing.score.value = std::numeric_limits<double>::quiet_NaN();
    scored.scores.insert(scored.scores.begin() + static_cast<std::ptrdiff_t>(m), missing);
  }
  return scored;
}

}  // namespace

void add_noise_control(ThreadPool& pool, const RankPlan& plan, RankResult& result) {
  const Index samples = plan.targets.rows();
  Index dim = 0;
  for (const ScoredModel& model : result.models) dim = std::max(dim, model.dim);
  if (Index{16} * dim * samples > plan.request.memory_limit / 2) {
    result.notes.emplace_back("the noise control was left out: it would not fit `memory_limit`");
    return;
  }
  result.controls.push_back(score_control(
      pool, plan, {"noise", noise_rows(samples, dim, plan.request.seed), {}}, plan.targets));
}

void add_logme_of_constant(ThreadPool& pool, const RankPlan& plan, RankResult& result) {
  const Metric& logme = find_metric("logme");
  const std::vector<const Metric*>& all = plan.metrics.all();
  if (result.centered || result.draws > 0 || std::ranges::find(all, &logme) == all.end()) return;
  const OpenModel constant{
      "constant", rows_of_matrix(Matrix::Ones(plan.targets.rows(), 1), "constant"), {}};
  const ScoredModel scored = score_rows(pool, plan, constant, plan.targets, {&logme}, {});
  result.logme_of_constant = scored.scores.front().score.value;
}

void add_permuted_control(ThreadPool& pool, const RankPlan& plan, RankResult& result) {
  const std::string& winner =
      result.models[static_cast<std::size_t>(result.ranking.places.front().candidate)].name;
  const auto files = std::find_if(plan.models.models.begin(), plan.models.models.end(),
                                  [&](const Model& model) { return model.name == winner; });
  OpenModel model =
      open_model(*files, plan.metrics.wanted_scores(plan.request), plan.request.memory_limit);
  model.name = fmt::format("{}, labels permuted", winner);
  ScoredModel control =
      score_control(pool, plan, model, permute_targets(plan.targets, plan.request.seed));
  for (MetricScore& score : control.scores) {
    const auto chosen = result.settings.find(score.metric);
    if (chosen != result.settings.end()) apply_setting(score, chosen->second);
  }
  sum_hub_parts_of(result, control);
  if (result.draws > 0) average_draws(control);
  result.controls.push_back(std::move(control));
  drop_helper_metrics(plan.metrics, result);
}

}  // namespace assay
