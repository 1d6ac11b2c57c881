#pragma once

#include <memory>
#include <vector>

#include "assay/rank.h"
#include "data/moments.h"
#include "rank/scoring_task.h"

namespace assay {

// score_model for the metrics that moments give. `kept`, unless null, receives the moments of all
// rows where there were any.
std::vector<MetricScore> score_by_moments(const ScoringTask& task,
                                          const std::vector<const Metric*>& metrics,
                                          std::shared_ptr<const Moments>* kept);

}  // namespace assay
