#include "rank/row_spread.h"

#include <cmath>

#include "rank/contributions.h"
#include "rank/held_out_score.h"

namespace assay {
namespace {

// The mean without a fold's samples: what they add is known, and nothing is fitted again.
void replicate_per_sample(const ScoringTask& task, MetricScore& result) {
  for (Index fold = 0; fold < task.folds.count; ++fold) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < task.folds.of_row.size(); ++i) {
      const double value = result.score.per_sample.empty() ? NAN : result.score.per_sample[i];
      if (task.folds.of_row[i] == fold || std::isnan(value)) continue;
      sum += value;
      count += 1.0;
    }
    if (count == 0.0) {  // no sample is left to tell: no interval then
      result.replicates.clear();
      return;
    }
    result.replicates.push_back(sum / count);
  }
}

}  // namespace

void find_spread(const ScoringTask& task, MetricScore& result) {
  const bool intervals = task.folds.count > 0 && task.options.closed_form;
  result.held_out = held_out_score(result.score.held_out, task.targets, task.groups, intervals);
  result.score.held_out = {};
  if (intervals) {
    result.contributions = unit_contributions(result.score.per_sample, task.targets, task.groups);
  } else {
    replicate_per_sample(task, result);
  }
  result.score.per_sample = {};  // a hub of ten thousand models must not keep them
}

}  // namespace assay
