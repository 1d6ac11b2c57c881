#pragma once

#include <vector>

#include "assay/metric.h"
#include "assay/rank.h"
#include "rank/scoring_task.h"

namespace assay {

// Scores one model by every metric (all must apply, see reason_left_out), and jackknifes them over
// the task's folds. The data are read once when the folds' moments fit beside each other, and once
// more for every group of folds that does otherwise. Throws Error when rows and targets do not
// match, a value is not finite, no target column varies, or memory does not suffice.
std::vector<MetricScore> score_model(const ScoringTask& task,
                                     const std::vector<const Metric*>& metrics);

}  // namespace assay
