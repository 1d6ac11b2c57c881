#pragma once

#include <memory>
#include <vector>

#include "assay/rank.h"
#include "data/moments.h"
#include "rank/scoring_task.h"

namespace assay {

// score_by_samples for samples that do not fit in memory: by a metric that reads them block by
// block. `moments`: of all rows, or null; made once some metric needs them. No interval for metrics
// that would have to be scored again without each fold.
MetricScore score_streamed(const ScoringTask& task, const Metric& metric,
                           std::shared_ptr<const Moments>& moments);

// By one that needs them all: the mean over kSampleDraws disjoint draws of `rows` rows each
// (draw_evenly, seeded), flagged `drawn_rows`, with their number and the standard deviation between
// them. Its interval is that of a mean over the rows that were drawn; that of a metric which gives
// no such mean is left out.
MetricScore score_drawn(const ScoringTask& task, const Metric& metric, Index rows);

}  // namespace assay
