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

// Values of the hub metrics that sum parts: each part of a model, its replicates and a control goes
// to [0, 1] by the least and largest over the models (0 where all are alike), within every draw.
void sum_hub_parts(RankResult& result);

// The same for a control that was scored later. Its parts may lie outside the models' range.
void sum_hub_parts_of(const RankResult& result, ScoredModel& control);

// Index of the metric in ScoredModel::scores.
std::size_t metric_index(const RankResult& result, const Metric* metric);

}  // namespace assay
