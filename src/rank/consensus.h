#pragma once

#include <span>
#include <vector>

#include "rank/ranking.h"

namespace assay {

// Several metrics' candidates, in the same order of models.
using Columns = std::vector<std::vector<Candidate>>;

// The mean over metrics of each model's rank (1 = best; equal scores share the mean of their
// ranks). Ranks, because metrics have no common unit.
std::vector<double> mean_ranks(const Columns& columns);

// Models by mean rank. Two count as apart when more than half of the metrics that have intervals
// tell them apart, in the order of their mean ranks, and none the other way round; rank intervals
// and tie groups follow from that as in rank_candidates. Comparisons hold differences of mean
// ranks, without a standard error.
Ranking rank_by_consensus(const Columns& columns, double level);

}  // namespace assay
