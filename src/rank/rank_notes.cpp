#include "rank/rank_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
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

// Metrics whose scores are of draws, because no more of some model fits.
void add_draw_size_notes(const RankPlan& plan, RankResult& result) {
  std::map<Index, std::vector<std::string>> names;
  for (const auto& [metric, rows] : plan.metrics.draw_sizes()) {
    if (plan.metrics.requested(metric)) names[rows].emplace_back(metric->name);
  }
  for (auto& [rows, metrics] : names) {
    std::ranges::sort(metrics);
    result.notes.push_back(fmt::format(
        "{} is the mean over {} disjoint draws of {} of the {} rows each (flag drawn_rows): all of "
        "them do not fit `memory_limit`; sd_of_draws in the JSON is their spread",
        listed(metrics), kSampleDraws, with_thousands(rows), with_thousands(plan.targets.rows())));
  }
}

void add_query_note(const RankPlan& plan, RankResult& result) {
  const bool searched = plan.targets.kind == TargetKind::classes && plan.draws.empty() &&
                        plan.targets.rows() > plan.request.knn_exact_rows;
  for (const ScoredModel& model : result.models) {
    for (const MetricScore& score : model.scores) {
      if (!searched || score.metric->name != "knn") continue;
      const auto detail =
          std::ranges::find(score.score.details, "queries", &std::pair<std::string, double>::first);
      if (detail == score.score.details.end()) continue;
      result.notes.push_back(fmt::format(
          "knn looked up the neighbours of {} of the {} rows, among all of them (flag "
          "sampled_queries; `knn_exact_rows` {} sets how many); standard_error in the JSON says "
          "what that costs",
          with_thousands(static_cast<Index>(detail->second)), with_thousands(plan.targets.rows()),
          with_thousands(plan.request.knn_exact_rows)));
      return;
    }
  }
}

void add_block_note(const RankPlan& plan, RankResult& result) {
  const Index units = plan.groups.empty() ? plan.targets.rows() : result.ranking.units;
  if (plan.request.level == 0.0 || result.ranking.units <= result.folds ||
      result.ranking.units >= units)
    return;
  result.notes.push_back(fmt::format(
      "intervals rest on {} random blocks of rows: what every row of every model adds does not fit "
      "`memory_limit`",
      with_thousands(result.ranking.units)));
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
  add_draw_size_notes(plan, result);
  add_query_note(plan, result);
  add_block_note(plan, result);
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
