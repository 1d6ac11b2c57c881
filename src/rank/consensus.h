#pragma once

#include <vector>

#include "rank/ranking.h"

namespace assay {

// The mean over metrics of each model's rank (1 = best; equal scores share the mean of their
// ranks). Ranks, because metrics have no common unit.
std::vector<double> mean_ranks(const Columns& columns);

// rank_candidates by mean rank. Two models are separable when resamples turn them round no more
// often than a normal difference at the joint quantile would, and when their ranges do not overlap.
// Metrics of which no contributions are known keep their ranks in all resamples.
Ranking rank_by_consensus(const Columns& columns, double level);

}  // namespace assay
