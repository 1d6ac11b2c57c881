#include "rank/held_out_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.h"
#include "metrics/held_out.h"
#include "rank/contributions.h"
#include "rank/hub_settings.h"

namespace assay {
namespace {

bool knows_held_out(const RankResult& result, const Metric* metric) {
  const std::size_t index = metric_index(result, metric);
  return std::ranges::all_of(result.models, [&](const ScoredModel& model) {
    return model.scores[index].held_out.has_value();
  });
}

std::string names_of(const std::vector<const Metric*>& metrics) {
  std::vector<std::string> names;
  for (const Metric* metric : metrics) names.emplace_back(metric->name);
  return listed(names);
}

}  // namespace

bool has_few_labels(TargetKind kind, Index rows, Index classes) {
  return kind == TargetKind::classes && few_labels(rows, classes);
}

std::optional<HeldOutLikelihood> held_out_score(std::span<const double> added,
                                                const Targets& targets,
                                                std::span<const Label> groups, bool intervals) {
  const bool rows = std::ssize(added) == targets.rows();
  double sum = 0.0;
  double count = rows ? 0.0 : static_cast<double>(targets.rows());
  for (const double value : added) {
    if (std::isnan(value)) continue;
    sum += value;
    count += rows ? 1.0 : 0.0;
  }
  if (added.empty() || count == 0.0) return std::nullopt;
  HeldOutLikelihood out{sum / count, {}, {}};
  if (intervals) out.contributions = unit_contributions(added, targets, groups);
  return out;
}

double vote_of(const RankResult& result, const MetricScore& score) {
  if (result.by_held_out) return score.held_out->value;
  const bool higher = score.metric->direction == Direction::higher_is_better;
  return higher ? score.score.value : -score.score.value;
}

void use_held_out(RankResult& result) {
  if (!result.labels_per_class) return;
  std::vector<const Metric*> known;
  std::vector<const Metric*> unknown;
  for (const Metric* metric : result.consensus_metrics)
    (knows_held_out(result, metric) ? known : unknown).push_back(metric);
  const std::string weak = fmt::format(
      "fewer than {} labels per class ({:.2g}): whatever is measured on them is a weak guide",
      kFewLabels, *result.labels_per_class);
  if (known.size() < 2) {
    result.notes.push_back(weak);
    return;
  }
  result.by_held_out = true;
  result.consensus_metrics = known;
  result.notes.push_back(fmt::format(
      "{}; accuracies count too few cases, so the consensus compares held-out log likelihoods "
      "instead, of {}",
      weak, names_of(known)));
  if (!unknown.empty()) {
    result.notes.push_back(
        fmt::format("{} has no say in the consensus: with few labels per class it goes by held-out "
                    "log likelihoods, which are not known of it",
                    names_of(unknown)));
  }
}

}  // namespace assay
