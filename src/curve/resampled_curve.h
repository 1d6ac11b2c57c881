#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/curve.h"
#include "curve/curve_fit.h"
#include "curve/loss_draws.h"
#include "curve/measures.h"

namespace assay {

// A curve as it might have come out, a thousand times over.
struct ResampledCurve {
  std::vector<Index> sizes;           // K
  Vector mean;                        // the curve measured
  Matrix draws;                       // B x K
  std::vector<FittedCurve> forecast;  // B, a fit to each draw; empty for a single size
};

// chance: the loss of guessing. Nothing for fewer than two seeds.
std::optional<ResampledCurve> resample(const SeedCurves& curves, const Multipliers& multipliers,
                                       double chance, std::uint64_t seed);

// The interval between these shares of values, by default 95 %. Infinities are allowed.
Range range_of(std::vector<double> values, double level = 0.95);

// Where each draw falls to the target: between the measured sizes, else where its forecast does
// (not before the largest size), else at infinity.
std::vector<double> crossings(const ResampledCurve& curve, double target);

// By crossing_of on the measured curve, else by the median of the crossings. `curve` may be null:
// then there is neither interval nor forecast.
LabelsNeeded labels_needed(std::span<const CurvePoint> points, const ResampledCurve* curve,
                           double target);

// Ten sizes beyond the data, up to kFarthest times as many.
std::vector<ForecastPoint> forecast_of(const ResampledCurve& curve);

// Intervals of the points and of the measures of the largest n. `curve` has these sizes, or more.
void add_ranges(const ResampledCurve& curve, const MeasureOptions& options,
                MeasuredCurve& measured);

}  // namespace assay
