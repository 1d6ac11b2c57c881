#pragma once

#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "rank/rank_plan.h"

namespace assay {

// Scores every model of the plan into result.models, and lists in result.failed those that cannot
// be read. Metrics that some readable model cannot serve are dropped from the plan first. Throws
// Error when no model is left.
void score_models(ThreadPool& pool, RankPlan& plan, const ProgressCallback& progress,
                  RankResult& result);

}  // namespace assay
