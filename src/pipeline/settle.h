#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/metrics/metric.h"

namespace assay {

struct MetricScore;

// Which setting of a hub metric to use: the one whose values order the models most like the metric
// that settles it (Kendall's tau; its usual setting among equals, and when the hub cannot decide).
// One score per model each, in the same order.
std::size_t best_setting(const Metric& metric, const std::vector<const Score*>& scores,
                         const Metric& judge, const std::vector<double>& judged);

// Gives a hub metric's score and replicates the values of the setting chosen.
void apply_setting(MetricScore& score, std::size_t setting);

}  // namespace assay
