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

// Gives a hub metric's score, replicates and draws the values of the setting chosen.
void apply_setting(MetricScore& score, std::size_t setting);

// Chooses the settings of hub metrics and applies them: one for each metric, the same for all
// draws, by the means over them.
void choose_hub_settings(RankResult& result);

// Index of the metric in ScoredModel::scores.
std::size_t metric_index(const RankResult& result, const Metric* metric);

}  // namespace assay
