#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "assay/core/types.h"
#include "assay/curve/loss_curve.h"

namespace assay {

// The non-increasing values nearest to `values` in squares (pool adjacent violators), each with its
// weight.
std::vector<double> non_increasing_fit(std::span<const double> values,
                                       std::span<const double> weights);

// The sizes between which the non-increasing fit of a curve falls to epsilon: above it with `low`
// rows (0: nothing was measured before), at most epsilon with `high`. Nothing when it never does.
struct Bracket {
  Index low = 0;
  Index high = 0;
};
std::optional<Bracket> bracket_of(std::span<const CurvePoint> points, double epsilon);

// Where the curve falls to epsilon, between the measured sizes: straight in the logarithm of n,
// after the non-increasing fit. Nothing when it never does.
std::optional<double> crossing_of(std::span<const CurvePoint> points, double epsilon);

// How many rows a target needs.
struct LabelsNeeded {
  double rows = 0.0;         // or, as a lower bound, the largest n measured
  bool lower_bound = false;  // never reached
  bool upper_bound = false;  // reached at the smallest n measured already
  // A 95 % interval over seeds; nothing for fewer than two seeds.
  std::optional<double> low = std::nullopt;
  std::optional<double> high = std::nullopt;
  bool high_is_bound = false;  // some resampled curves never reach it: at least `high`
};

// By crossing_of on the mean curve. The interval is the bootstrap's over seeds (1000 draws,
// seeded): it has the spread of the rows drawn, not that of the validation rows, which all seeds
// share.
LabelsNeeded labels_needed(std::span<const ProbeRun> runs, double epsilon, std::uint64_t seed);

// The paper's recursive grid: cuts the bracket into ten, measures inside, and goes on with the part
// in which the fit falls to epsilon, until it is no wider than a hundredth of its upper end or
// `levels` are done. `measure` is given ascending sizes and returns the points of the curve, all
// that it has by then. Nothing when epsilon is never reached.
using MeasureSizes = std::function<std::vector<CurvePoint>(std::span<const Index> sizes)>;
std::optional<Bracket> refine_bracket(std::vector<CurvePoint> points, double epsilon, int levels,
                                      const MeasureSizes& measure);

}  // namespace assay
