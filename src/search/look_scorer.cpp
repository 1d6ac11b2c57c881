#include "search/look_scorer.h"

#include <utility>

#include "data/folds.h"
#include "data/subset.h"
#include "rank/contributions.h"
#include "rank/score_draws.h"
#include "search/race_order.h"

namespace assay {
namespace {

// Codes 0, 1, ... of the classes that have a row.
Targets present_classes(Targets targets) {
  if (targets.kind != TargetKind::classes) return targets;
  std::vector<Index> code(targets.names.size(), -1);
  for (const Label label : targets.labels) code[static_cast<std::size_t>(label)] = 0;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (code[k] < 0) continue;
    code[k] = static_cast<Index>(names.size());
    names.push_back(targets.names[k]);
  }
  for (Label& label : targets.labels)
    label = static_cast<Label>(code[static_cast<std::size_t>(label)]);
  targets.names = std::move(names);
  return targets;
}

}  // namespace

LookScorer::LookScorer(ThreadPool& pool, const RankPlan& plan, std::vector<Index> order)
    : pool_(pool), plan_(plan), order_(std::move(order)) {}

const RankPlan& LookScorer::plan_of(const std::vector<Index>& looks) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<RankPlan>& plan = plans_[looks.back()];
  if (!plan) {
    Targets targets = present_classes(targets_of_rows(plan_.targets, rows_of_look(order_, looks)));
    Folds folds = stratified_folds(targets, plan_.request.folds, plan_.request.seed);
    plan = std::make_unique<RankPlan>(RankPlan{
        plan_.request, {}, std::move(targets), plan_.metrics, {}, std::move(folds), {}, 0});
  }
  return *plan;
}

Sighting LookScorer::score(const std::string& name, Rows rows, const std::vector<Index>& looks) {
  const RankPlan& plan = plan_of(looks);
  const Metric* const metric = plan.metrics.all().front();
  const ScoredModel scored =
      score_rows(pool_, plan, {name, std::move(rows), {}}, plan.targets, {metric}, {});
  const double sign = metric->direction == Direction::higher_is_better ? 1.0 : -1.0;
  Sighting out{sign * scored.scores.front().score.value,
               contributions_of(scored.scores.front()).units};
  for (double& value : out.contributions) value *= sign;
  return out;
}

}  // namespace assay
