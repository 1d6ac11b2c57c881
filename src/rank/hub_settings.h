#pragma once

#include <vector>

#include "assay/metric.h"
#include "assay/rank.h"

namespace assay {

// Which setting of a hub metric to use: the one whose values order the models most like the metric
// that judges it (Kendall's tau; its default setting among equals, and when the hub cannot decide).
// One entry per model each, in the same order; `variants` as in Score.
std::size_t best_setting(const Metric& metric, const std::vector<std::vector<double>>& variants,
                         const Metric& judge, const std::vector<double>& judged);

// Gives a hub metric's score and replicates the values of the setting chosen, or every draw those
// of its own.
void apply_settings(MetricScore& score, const std::vector<std::size_t>& settings);

// Chooses the settings of hub metrics and applies them: one for all rows, one for every draw.
void choose_hub_settings(RankResult& result);

// Index of the metric in ScoredModel::scores.
std::size_t metric_index(const RankResult& result, const Metric* metric);

}  // namespace assay
