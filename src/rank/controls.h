#pragma once

#include "assay/thread_pool.h"
#include "rank/rank_plan.h"

namespace assay {

// LogME of one feature that is 1 everywhere, for what guessing is worth (guessing.h); nothing where
// LogME is not asked for, targets are centred or draws are scored.
void add_logme_of_constant(ThreadPool& pool, const RankPlan& plan, RankResult& result);

// Control: Gaussian noise of the largest feature dimension, i.e. features without information.
void add_noise_control(ThreadPool& pool, const RankPlan& plan, RankResult& result);

// Control: the winner's features with labels that belong to other samples. The models must have
// been ordered and the settings of hub metrics chosen.
void add_permuted_control(ThreadPool& pool, const RankPlan& plan, RankResult& result);

}  // namespace assay
