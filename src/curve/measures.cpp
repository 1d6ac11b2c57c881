#include "curve/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "assay/error.h"

namespace assay {
namespace {

constexpr std::array<std::pair<std::string_view, Rule>, 3> kRules = {
    {{"left", Rule::left}, {"right", Rule::right}, {"linear", Rule::linear}}};
constexpr std::array<std::pair<std::string_view, LossKind>, 3> kLosses = {
    {{"nll", LossKind::nll}, {"zero-one", LossKind::zero_one}, {"mse", LossKind::mse}}};

using Points = std::span<const CurvePoint>;

double above(double value) { return std::max(0.0, value); }

// The mean of max(0, line) over an interval, from its ends' heights.
double mean_above(double first, double last) {
  if (first >= 0.0 && last >= 0.0) return 0.5 * (first + last);
  if (first <= 0.0 && last <= 0.0) return 0.0;
  const double top = std::max(first, last);
  return 0.5 * top * top / std::abs(first - last);
}

// Every seed's own curve up to the last point; seeds that miss a size are left out.
std::vector<std::vector<CurvePoint>> complete_seeds(const std::vector<ProbeRun>& runs,
                                                    Points points) {
  std::map<Index, std::vector<ProbeRun>> by_seed;
  for (const ProbeRun& run : runs) {
    if (run.n <= points.back().n) by_seed[run.seed].push_back(run);
  }
  std::vector<std::vector<CurvePoint>> curves;
  for (const auto& [seed, own] : by_seed) {
    if (own.size() == points.size()) curves.push_back(points_of(own));
  }
  return curves;
}

ToleranceMeasure surplus(Points points, const std::vector<std::vector<CurvePoint>>& seeds,
                         double epsilon, const MeasureOptions& options) {
  std::vector<double> values;
  for (const auto& seed : seeds)
    values.push_back(surplus_area(seed, epsilon, options.rule, options.chance));
  return {.epsilon = epsilon,
          .value = surplus_area(points, epsilon, options.rule, options.chance),
          .lower_bound = points.back().loss > epsilon,
          .sd = spread_of(values)};
}

ToleranceMeasure complexity(Points points, const std::vector<std::vector<CurvePoint>>& seeds,
                            double epsilon) {
  const std::optional<Index> reached = first_reached(points, epsilon);
  ToleranceMeasure out{.epsilon = epsilon,
                       .value = static_cast<double>(reached.value_or(points.back().n)),
                       .lower_bound = !reached};
  std::vector<double> values;
  for (const auto& seed : seeds) {
    const std::optional<Index> own = first_reached(seed, epsilon);
    if (!own) return out;
    values.push_back(static_cast<double>(*own));
  }
  out.sd = spread_of(values);
  return out;
}

// VA, MDL, SDL and eSC (docs/guide/curve.md): final loss, area under the curve,
// area above the tolerance, first size within it.
Measures measures_of(Points points, const std::vector<ProbeRun>& runs,
                     const MeasureOptions& options) {
  const auto seeds = complete_seeds(runs, points);
  const ToleranceMeasure whole = surplus(points, seeds, 0.0, options);
  Measures out{.n = points.back().n,
               .va = points.back().loss,
               .va_sd = points.back().loss_sd,
               .mdl = whole.value,
               .mdl_sd = whole.sd};
  if (options.label_entropy) out.mi = *options.label_entropy - out.va;
  for (const double epsilon : options.epsilons) {
    out.sdl.push_back(surplus(points, seeds, epsilon, options));
    out.esc.push_back(complexity(points, seeds, epsilon));
  }
  return out;
}

}  // namespace

Rule rule_named(std::string_view name) {
  for (const auto& [known, rule] : kRules) {
    if (known == name) return rule;
  }
  throw Error(ErrorCode::unknown,
              fmt::format("unknown rule '{}'; expected left, right or linear", name));
}

std::string_view rule_name(Rule rule) {
  return std::ranges::find(kRules, rule, &std::pair<std::string_view, Rule>::second)->first;
}

LossKind loss_named(std::string_view name) {
  for (const auto& [known, kind] : kLosses) {
    if (known == name) return kind;
  }
  throw Error(ErrorCode::unknown,
              fmt::format("unknown loss '{}'; expected nll, zero-one or mse", name));
}

std::string_view loss_name(LossKind kind) {
  return std::ranges::find(kLosses, kind, &std::pair<std::string_view, LossKind>::second)->first;
}

double chance_level(LossKind kind, Index classes) {
  const auto count = static_cast<double>(classes);
  return kind == LossKind::nll ? std::log(count) : 1.0 - 1.0 / count;
}

double surplus_area(Points points, double epsilon, Rule rule, double chance) {
  double area = 0.0;
  double from = 0.0;
  double before = (rule == Rule::left ? chance : points.front().loss) - epsilon;
  for (const CurvePoint& point : points) {
    const double width = static_cast<double>(point.n) - from;
    const double now = point.loss - epsilon;
    if (rule == Rule::left) area += width * above(before);
    if (rule == Rule::right) area += width * above(now);
    if (rule == Rule::linear) area += width * mean_above(before, now);
    from = static_cast<double>(point.n);
    before = now;
  }
  return area;
}

std::optional<Index> first_reached(Points points, double epsilon) {
  const auto found =
      std::ranges::find_if(points, [&](const CurvePoint& point) { return point.loss <= epsilon; });
  return found == points.end() ? std::nullopt : std::optional(found->n);
}

MeasuredCurve measure_curve(const LossCurve& curve, const MeasureOptions& options) {
  MeasuredCurve out{.name = curve.name, .points = points_of(curve.runs), .at = {}};
  out.monotone = std::ranges::adjacent_find(out.points, [](const auto& a, const auto& b) {
                   return b.loss > a.loss;
                 }) == out.points.end();
  for (std::size_t k = 1; k <= out.points.size(); ++k)
    out.at.push_back(measures_of(Points(out.points).first(k), curve.runs, options));
  return out;
}

}  // namespace assay
