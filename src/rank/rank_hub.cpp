#include <algorithm>
#include <filesystem>
#include <utility>

#include "assay/digest.h"
#include "assay/rank.h"
#include "rank/controls.h"
#include "rank/fitted_here.h"
#include "rank/held_out_score.h"
#include "rank/hub_settings.h"
#include "rank/order_models.h"
#include "rank/rank_notes.h"
#include "rank/score_draws.h"
#include "rank/score_models.h"

namespace assay {
namespace {

std::optional<double> share_of_largest_class(const Targets& targets) {
  if (targets.kind != TargetKind::classes || targets.labels.empty()) return {};
  std::vector<Index> counts(static_cast<std::size_t>(targets.columns()), 0);
  for (const Label label : targets.labels) ++counts[static_cast<std::size_t>(label)];
  return static_cast<double>(*std::ranges::max_element(counts)) /
         static_cast<double>(targets.rows());
}

RankResult start_result(const RankPlan& plan) {
  RankResult result;
  result.folds = plan.folds.count;
  result.target_kind = plan.targets.kind;
  result.centered = centers(plan.request, plan.targets.kind);
  result.columns = plan.targets.columns();
  result.largest_class = share_of_largest_class(plan.targets);
  result.column_names = plan.targets.names;
  result.draws = static_cast<Index>(plan.draws.size());
  result.draw_rows = plan.draws.empty() ? 0 : static_cast<Index>(plan.draws.front().size());
  const Index scored = plan.draws.empty() ? plan.targets.rows() : result.draw_rows;
  if (has_few_labels(result.target_kind, scored, result.columns))
    result.labels_per_class = static_cast<double>(scored) / static_cast<double>(result.columns);
  result.failed = plan.request.hub.failed;
  result.notes = plan.request.hub.notes;
  result.inputs = plan.request.hub.inputs;
  return result;
}

void average_all_draws(RankResult& result) {
  if (result.draws == 0) return;
  for (ScoredModel& model : result.models) average_draws(model);
  for (ScoredModel& control : result.controls) average_draws(control);
}

void add_digests(const RankRequest& request, RankResult& result) {
  for (const std::filesystem::path& file : {request.labels, request.groups}) {
    if (!file.empty()) result.inputs.push_back({file, file_digest(file)});
  }
}

}  // namespace

RankResult rank_hub(ThreadPool& pool, const RankRequest& request,
                    const ProgressCallback& progress) {
  RankPlan plan = plan_ranking(request);
  RankResult result = start_result(plan);
  add_plan_notes(plan, result);
  score_models(pool, plan, progress, result);
  add_logme_of_constant(pool, plan, result);
  if (request.controls) add_noise_control(pool, plan, result);
  choose_hub_settings(result);
  sum_hub_parts(result);
  average_all_draws(result);
  drop_helper_metrics(plan.metrics, result);
  order_models(request, result);
  add_agreement(result);
  add_costs(request.hub, result);
  if (request.controls) add_permuted_control(pool, plan, result);
  add_notes(plan, result);
  add_disagreements(result);
  judge_fitted_here(result);
  add_digests(request, result);
  return result;
}

}  // namespace assay
