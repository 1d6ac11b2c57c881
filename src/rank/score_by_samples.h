#pragma once

#include <memory>
#include <vector>

#include "assay/rank.h"
#include "data/moments.h"
#include "rank/scoring_task.h"

namespace assay {

// score_model for the metrics that need the samples themselves or the source probabilities.
// `moments`: of all rows, or null. Throws Error when the samples do not fit the memory limit.
std::vector<MetricScore> score_by_samples(const ScoringTask& task,
                                          const std::vector<const Metric*>& metrics,
                                          std::shared_ptr<const Moments> moments);

}  // namespace assay
