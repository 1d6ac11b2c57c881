#pragma once

#include <memory>

#include "data/moments.h"
#include "rank/score_model.h"

namespace assay {

// score_model for the metrics that moments give. `kept`, unless null, receives the moments of all
// rows where there were any.
std::vector<MetricScore> score_by_moments(ThreadPool& pool, const RowSource& rows,
                                          const Targets& targets, const Folds& folds,
                                          const std::vector<const Metric*>& metrics,
                                          const ScoreOptions& options,
                                          const ProgressCallback& progress,
                                          std::shared_ptr<const Moments>* kept);

}  // namespace assay
