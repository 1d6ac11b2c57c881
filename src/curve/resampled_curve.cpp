#include "curve/resampled_curve.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/random.h"
#include "curve/crossing.h"

namespace assay {
namespace {

std::vector<CurvePoint> points_of_draw(const ResampledCurve& curve, Index draw) {
  std::vector<CurvePoint> points;
  for (std::size_t k = 0; k < curve.sizes.size(); ++k) {
    points.push_back(
        {.n = curve.sizes[k], .loss = curve.draws(draw, static_cast<Index>(k)), .seeds = 1});
  }
  return points;
}

Matrix covariance_of(const Matrix& draws) {
  const Matrix centred = draws.rowwise() - draws.colwise().mean();
  return centred.transpose() * centred / static_cast<double>(draws.rows() - 1);
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Where the forecasts end up.
void add_levels(const ResampledCurve& curve, LabelsNeeded& out) {
  std::vector<double> floors;
  for (const FittedCurve& fit : curve.forecast) floors.push_back(fit.floor);
  out.levels_off = median_of(floors);
  out.levels_off_range = range_of(floors);
}

// An interval that holds the estimate it belongs to: resampled curves may fall otherwise.
Range around(Range range, double value) {
  return {std::min(range.low, value), std::max(range.high, value)};
}

}  // namespace

Range range_of(std::vector<double> values, double level) {
  std::ranges::sort(values);
  const double outside = 0.5 * (1.0 - level) * static_cast<double>(values.size());
  const auto low = static_cast<std::size_t>(std::floor(outside));
  return {values[low], values[values.size() - 1 - low]};
}

std::optional<ResampledCurve> resample(const SeedCurves& curves, const Multipliers& multipliers,
                                       double chance, std::uint64_t seed) {
  if (curves.seeds() < 2) return std::nullopt;
  ResampledCurve out{curves.sizes, curves.mean(), loss_draws(curves, multipliers), {}};
  if (!out.draws.allFinite()) return std::nullopt;  // losses beyond the range of their squares
  // The families are of losses that cannot fall below 0.
  if (curves.sizes.size() < 2 || out.mean.minCoeff() < 0.0) return out;
  // A bagged posterior of as much data again: half of its variance is that of the draws, half that
  // of the posterior, so that together they have what the data have, once.
  constexpr double half = 0.5;
  const CurveFits fits(out.sizes, out.mean, half * covariance_of(out.draws), chance);
  Random random(seed);
  for (Index b = 0; b < out.draws.rows(); ++b) {
    const Vector off = out.draws.row(b).transpose() - out.mean;
    out.forecast.push_back(fits.draw(out.mean + std::sqrt(half) * off, random));
  }
  return out;
}

std::vector<double> crossings(const ResampledCurve& curve, double target) {
  const auto largest = static_cast<double>(curve.sizes.back());
  std::vector<double> out;
  for (Index b = 0; b < curve.draws.rows(); ++b) {
    std::optional<double> found = crossing_of(points_of_draw(curve, b), target);
    if (!found && !curve.forecast.empty()) {
      found = curve.forecast[static_cast<std::size_t>(b)].crossing(target);
      if (found) found = std::max(*found, largest);
    }
    out.push_back(found.value_or(INFINITY));
  }
  return out;
}

LabelsNeeded labels_needed(std::span<const CurvePoint> points, const ResampledCurve* curve,
                           double target) {
  const auto largest = static_cast<double>(points.back().n);
  // Without a forecast nothing is known beyond the data.
  const bool foretold = curve != nullptr && !curve->forecast.empty();
  const double farthest = foretold ? kFarthest * largest : largest;
  const std::optional<double> crossing = crossing_of(points, target);
  LabelsNeeded out{.rows = crossing.value_or(largest),
                   .lower_bound = !crossing,
                   .upper_bound = crossing && bracket_of(points, target)->low == 0,
                   .reach = crossing ? Reach::measured : Reach::far};
  if (curve == nullptr) return out;
  const std::vector<double> found = crossings(*curve, target);
  const double median = median_of(found);
  if (!crossing && median <= farthest) {
    out.reach = Reach::extrapolated;
    out.rows = median;
    out.lower_bound = false;
  }
  Range range = range_of(found);
  if (out.reach == Reach::far && foretold) {
    add_levels(*curve, out);
    if (std::isinf(range.low)) out.reach = Reach::not_reachable;
  }
  out.high_is_bound = range.high > farthest;
  range = around({std::min(range.low, farthest), std::min(range.high, farthest)}, out.rows);
  out.low = range.low;
  out.high = range.high;
  return out;
}

std::vector<ForecastPoint> forecast_of(const ResampledCurve& curve) {
  constexpr int steps = 10;
  std::vector<ForecastPoint> out;
  if (curve.forecast.empty()) return out;
  const auto largest = static_cast<double>(curve.sizes.back());
  for (int j = 1; j <= steps; ++j) {
    ForecastPoint point{
        .n = std::round(largest * std::pow(kFarthest, static_cast<double>(j) / steps))};
    std::vector<double> losses;
    for (const FittedCurve& fit : curve.forecast) losses.push_back(fit.at(point.n));
    point.loss = median_of(losses);
    point.range = range_of(losses);
    out.push_back(point);
  }
  return out;
}

void add_ranges(const ResampledCurve& curve, const MeasureOptions& options,
                MeasuredCurve& measured) {
  std::vector<Index> columns;  // of the common sizes
  for (CurvePoint& point : measured.points) {
    const auto k = std::ranges::find(curve.sizes, point.n) - curve.sizes.begin();
    columns.push_back(k);
    const Vector draws = curve.draws.col(k);
    point.loss_range = around(range_of({draws.begin(), draws.end()}), point.loss);
  }
  Measures& last = measured.at.back();
  std::vector<double> areas;
  std::vector<std::vector<double>> surplus(last.sdl.size());
  std::vector<std::vector<double>> complexity(last.esc.size());
  for (Index b = 0; b < curve.draws.rows(); ++b) {
    std::vector<CurvePoint> points = measured.points;
    for (std::size_t i = 0; i < points.size(); ++i) points[i].loss = curve.draws(b, columns[i]);
    areas.push_back(surplus_area(points, 0.0, options.rule, options.chance));
    const std::vector<CurvePoint> finer = points_of_draw(curve, b);
    for (std::size_t e = 0; e < surplus.size(); ++e) {
      const double epsilon = last.sdl[e].epsilon;
      surplus[e].push_back(surplus_area(points, epsilon, options.rule, options.chance));
      const std::optional<Bracket> bracket = bracket_of(finer, epsilon);
      complexity[e].push_back(bracket ? static_cast<double>(bracket->high) : INFINITY);
    }
  }
  last.va_range = measured.points.back().loss_range;
  last.mdl_range = around(range_of(areas), last.mdl);
  const auto largest = static_cast<double>(measured.points.back().n);
  for (std::size_t e = 0; e < surplus.size(); ++e) {
    last.sdl[e].range = around(range_of(surplus[e]), last.sdl[e].value);
    Range sizes = range_of(complexity[e]);
    last.esc[e].high_is_bound = std::isinf(sizes.high);
    sizes = {std::min(sizes.low, largest), std::min(sizes.high, largest)};
    last.esc[e].range = around(sizes, last.esc[e].value);
  }
}

}  // namespace assay
