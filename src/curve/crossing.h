#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "assay/curve.h"
#include "assay/types.h"
#include "curve/loss_curve.h"

namespace assay {

// The non-increasing values nearest to `values` in squares (pool adjacent violators), each with its
// weight.
std::vector<double> non_increasing_fit(std::span<const double> values,
                                       std::span<const double> weights);

std::optional<Bracket> bracket_of(std::span<const CurvePoint> points, double epsilon);

// Where the curve falls to epsilon, between the measured sizes: straight in the logarithm of n,
// after the non-increasing fit. Nothing when it never does.
std::optional<double> crossing_of(std::span<const CurvePoint> points, double epsilon);

// The paper's recursive grid: cuts the bracket into ten, measures inside, and goes on with the part
// in which the fit falls to epsilon, until it is no wider than a hundredth of its upper end or
// `levels` are done. `measure` is given ascending sizes and returns the points of the curve, all
// that it has by then. Nothing when epsilon is never reached.
using MeasureSizes = std::function<std::vector<CurvePoint>(std::span<const Index> sizes)>;
std::optional<Bracket> refine_bracket(std::vector<CurvePoint> points, double epsilon, int levels,
                                      const MeasureSizes& measure);

}  // namespace assay
