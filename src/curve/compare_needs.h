#pragma once

#include <optional>
#include <vector>

#include "assay/curve.h"
#include "curve/resampled_curve.h"

namespace assay {

// Adds whether the model that needs the fewest rows for a target needs fewer than each other one,
// over curves that were resampled together. Nothing for models without resampled curves.
void add_comparisons(const std::vector<std::optional<ResampledCurve>>& curves,
                     std::optional<LabelsNeeded> CurveModel::*needed, double target,
                     bool for_accuracy, CurveResult& result);

}  // namespace assay
