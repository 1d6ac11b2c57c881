#include "rank/score_model.h"

#include <algorithm>

#include "metrics/make_problem.h"
#include "rank/score_by_moments.h"
#include "rank/score_by_samples.h"

namespace assay {

std::string reason_left_out(const Metric& metric, const Targets& targets, bool probabilities) {
  if (metric.classes_only && targets.kind != TargetKind::classes)
    return "needs classes, not regression or multi-label targets";
  if (metric.from_probabilities != nullptr && !probabilities)
    return "needs source probabilities (NAME/probs.npy or a member 'probs')";
  return {};
}

std::vector<MetricScore> score_model(ThreadPool& pool, const RowSource& rows,
                                     const Targets& targets, const Folds& folds,
                                     const std::vector<const Metric*>& metrics,
                                     const ScoreOptions& options,
                                     const ProgressCallback& progress) {
  require_matching(rows, targets);
  std::vector<const Metric*> by_moments;
  std::vector<const Metric*> by_samples;
  for (const Metric* metric : metrics)
    (metric->from_moments != nullptr ? by_moments : by_samples).push_back(metric);
  // The passes over moments are the first half of the work when there are both.
  const double share = by_samples.empty() ? 1.0 : by_moments.empty() ? 0.0 : 0.5;
  std::vector<MetricScore> scored;
  std::shared_ptr<const Moments> moments;
  if (!by_moments.empty()) {
    scored = score_by_moments(
        pool, rows, targets, folds, by_moments, options,
        [&](double done, const std::string& what) {
          if (progress) progress(share * done, what);
        },
        by_samples.empty() ? nullptr : &moments);
  }
  if (!by_samples.empty()) {
    std::vector<MetricScore> more = score_by_samples(
        pool, rows, targets, folds, by_samples, options,
        [&](double done, const std::string& what) {
          if (progress) progress(share + (1.0 - share) * done, what);
        },
        std::move(moments));
    std::move(more.begin(), more.end(), std::back_inserter(scored));
  }
  std::stable_sort(scored.begin(), scored.end(), [&](const MetricScore& a, const MetricScore& b) {
    return std::find(metrics.begin(), metrics.end(), a.metric) <
           std::find(metrics.begin(), metrics.end(), b.metric);
  });
  return scored;
}

}  // namespace assay
