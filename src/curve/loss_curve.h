#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/curve.h"
#include "assay/types.h"

namespace assay {

// Ascending in n, seeds averaged.
std::vector<CurvePoint> points_of(std::span<const ProbeRun> runs);

// Standard deviation (n - 1); nothing for fewer than two values.
std::optional<double> spread_of(std::span<const double> values);

}  // namespace assay
