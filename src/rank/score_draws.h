#pragma once

#include <vector>

#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "rank/rank_plan.h"

namespace assay {

// One model by every metric: on all rows, or with --subsample on every draw of a few. The values of
// draws are kept until average_draws.
ScoredModel score_rows(ThreadPool& pool, const RankPlan& plan, const OpenModel& model,
                       const Targets& targets, const std::vector<const Metric*>& metrics,
                       const ProgressCallback& progress);

// The score becomes the mean over draws, with their standard deviation as a detail.
void average_draws(ScoredModel& model);

}  // namespace assay
