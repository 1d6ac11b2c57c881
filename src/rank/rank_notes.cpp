#include "rank/rank_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "data/subsample.h"
#include "rank/held_out_score.h"
#include "rank/hub_settings.h"

namespace assay {
namespace {

void add_draw_notes(const Subsample& asked, const RankPlan& plan, RankResult& result) {
  const Targets& targets = plan.targets;
  const bool classes = targets.kind == TargetKind::classes;
  const Index wanted = asked.rows * (asked.per_class ? targets.columns() : 1);
  if (result.draw_rows == plan.population) {
    result.notes.push_back(fmt::format(
        "`subsample`: every draw holds all {} rows, so that the draws are the same; ask for fewer",
        with_thousands(plan.population)));
  } else if (result.draw_rows > wanted) {
    result.notes.push_back(
        fmt::format("`subsample`: draws hold {} rows instead of {}; fewer than {} tell nothing",
                    result.draw_rows, wanted, kFewestRows));
  } else if (result.draw_rows < wanted && classes) {
    result.notes.push_back(fmt::format(
        "`subsample`: draws hold {} rows instead of {}, as some classes have fewer than {}",
        with_thousands(result.draw_rows), with_thousands(wanted), asked.rows));
  }
}

void add_rare_class_note(const Targets& targets, RankResult& result) {
  if (targets.kind != TargetKind::classes) return;
  std::vector<Index> counts(targets.names.size(), 0);
  for (const Label label : targets.labels) ++counts[static_cast<std::size_t>(label)];
  const auto rare =
      std::count_if(counts.begin(), counts.end(), [](Index count) { return count < 3; });
  if (rare == 0) return;
  result.notes.push_back(
      fmt::format("{} of {} classes have fewer than 3 samples; their share of the score is "
                  "mostly chance",
                  rare, counts.size()));
}

}  // namespace

void add_plan_notes(const RankPlan& plan, RankResult& result) {
  if (plan.request.subsample) add_draw_notes(*plan.request.subsample, plan, result);
  if (plan.request.level > 0.0 && plan.folds.count == 0)
    result.notes.emplace_back("no intervals: they need at least two samples, or two groups");
}

void add_notes(const RankPlan& plan, RankResult& result) {
  if (plan.request.level > 0.0 && result.folds < 5) {
    result.notes.push_back(fmt::format(
        "only {} fold(s) could be made; intervals mean little with so few samples or groups",
        result.folds));
  }
  const std::vector<std::filesystem::path>& networks = plan.models.networks;
  if (!networks.empty()) {
    result.notes.push_back(
        fmt::format("{} network file(s) left out, e.g. {}: name images to run them on with `data`",
                    networks.size(), networks.front().filename().string()));
  }
  add_rare_class_note(plan.targets, result);
}

void add_disagreements(RankResult& result) {
  if (result.consensus.empty() || result.models.size() < 2) return;
  const auto first = static_cast<std::size_t>(result.ranking.places.front().candidate);
  const ScoredModel& winner = result.models[first];
  std::string others;
  for (const Metric* metric : result.consensus_metrics) {
    const std::size_t index = metric_index(result, metric);
    const auto vote = [&](const ScoredModel& model) {
      return vote_of(result, model.scores[index]);
    };
    const auto best = std::ranges::max_element(result.models, {}, vote);
    if (vote(winner) == vote(*best)) continue;
    others +=
        fmt::format("{}{} puts {} first", others.empty() ? "" : ", ", metric->name, best->name);
  }
  if (!others.empty())
    result.notes.push_back(
        fmt::format("the metrics disagree on the winner, {}: {}", winner.name, others));
}

}  // namespace assay
