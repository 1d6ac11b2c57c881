#pragma once

#include <vector>

#include "data/folds.h"
#include "rank/metric_selection.h"

namespace assay {

// One model by every metric, on all rows.
ScoredModel score_all_rows(ThreadPool& pool, const OpenModel& model, const Targets& targets,
                           const Folds& folds, const std::vector<const Metric*>& metrics,
                           const RankRequest& request, const ProgressCallback& progress);

// One model on every draw of a few rows; the values of the draws are kept, see take_means_of_draws.
ScoredModel score_draws(ThreadPool& pool, const OpenModel& model, const Targets& targets,
                        const std::vector<std::vector<Index>>& draws,
                        const std::vector<const Metric*>& metrics, const RankRequest& request,
                        const ProgressCallback& progress);

// The score becomes the mean over draws, with their standard deviation as a detail.
void take_means_of_draws(ScoredModel& model);

// Where a metric stands in every model's scores.
std::size_t position_of(const RankResult& result, const Metric* metric);

// Chooses the settings of hub metrics and applies them: one for all rows, one for every draw.
void settle(RankResult& result);

}  // namespace assay
