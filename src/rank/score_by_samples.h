#pragma once

#include <memory>

#include "data/moments.h"
#include "rank/score_model.h"

namespace assay {

// score_model for the metrics that need the samples themselves or the source probabilities.
// `moments`: of all rows, or null. Throws Error when the samples do not fit the memory limit.
std::vector<MetricScore> score_by_samples(ThreadPool& pool, const RowSource& rows,
                                          const Targets& targets, const Folds& folds,
                                          const std::vector<const Metric*>& metrics,
                                          const ScoreOptions& options,
                                          const ProgressCallback& progress,
                                          std::shared_ptr<const Moments> moments);

}  // namespace assay
