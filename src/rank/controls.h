#pragma once

#include "assay/thread_pool.h"
#include "rank/rank_plan.h"

namespace assay {

// Control: Gaussian noise of the largest feature dimension, i.e. features without information.
void add_noise_control(ThreadPool& pool, const RankPlan& plan, RankResult& result);

// Control: the winner's features with labels that belong to other samples. The models must have
// been ordered and the settings of hub metrics chosen.
void add_permuted_control(ThreadPool& pool, const RankPlan& plan, RankResult& result);

}  // namespace assay
