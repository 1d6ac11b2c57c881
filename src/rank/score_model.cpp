#include "rank/score_model.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "data/check_targets.h"
#include "rank/score_by_moments.h"
#include "rank/score_by_samples.h"

namespace assay {

std::vector<MetricScore> score_model(const ScoringTask& task,
                                     const std::vector<const Metric*>& metrics) {
  require_matching(task.rows, task.targets);
  std::vector<const Metric*> by_moments;
  std::vector<const Metric*> by_samples;
  for (const Metric* metric : metrics)
    (metric->from_moments != nullptr ? by_moments : by_samples).push_back(metric);
  // The passes over moments are the first half of the work when there are both.
  const double share = by_samples.empty() ? 1.0 : by_moments.empty() ? 0.0 : 0.5;
  const auto part_of_task = [&](const ProgressCallback& progress) -> ScoringTask {
    return {task.pool, task.rows, task.targets, task.folds, task.options, progress, task.groups};
  };
  std::vector<MetricScore> scored;
  std::shared_ptr<const Moments> moments;
  if (!by_moments.empty()) {
    const ProgressCallback first = [&](double done, const std::string&) {
      task.report(share * done);
    };
    scored =
        score_by_moments(part_of_task(first), by_moments, by_samples.empty() ? nullptr : &moments);
  }
  if (!by_samples.empty()) {
    const ProgressCallback second = [&](double done, const std::string&) {
      task.report(share + (1.0 - share) * done);
    };
    std::vector<MetricScore> more =
        score_by_samples(part_of_task(second), by_samples, std::move(moments));
    std::move(more.begin(), more.end(), std::back_inserter(scored));
  }
  std::stable_sort(scored.begin(), scored.end(), [&](const MetricScore& a, const MetricScore& b) {
    return std::find(metrics.begin(), metrics.end(), a.metric) <
           std::find(metrics.begin(), metrics.end(), b.metric);
  });
  return scored;
}

}  // namespace assay
