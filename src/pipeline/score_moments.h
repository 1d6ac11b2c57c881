#pragma once

#include "assay/pipeline/score_model.h"

namespace assay {

// score_model for the metrics that moments give.
std::vector<MetricScore> score_by_moments(ThreadPool& pool, const RowSource& rows,
                                          const Targets& targets, const Folds& folds,
                                          const std::vector<const Metric*>& metrics,
                                          const ScoreOptions& options,
                                          const ProgressCallback& progress);

}  // namespace assay
