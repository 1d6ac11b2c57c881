#pragma once

#include "assay/rank.h"
#include "rank/scoring_task.h"

namespace assay {

// The interval of a score that is a mean over samples: what each of them adds is known, nothing is
// fitted again. Lets go of the values themselves.
void find_spread(const ScoringTask& task, MetricScore& result);

}  // namespace assay
