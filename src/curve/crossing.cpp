#include "curve/crossing.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

using Points = std::span<const CurvePoint>;

std::vector<double> fit_of(Points points) {
  std::vector<double> losses;
  std::vector<double> weights;
  for (const CurvePoint& point : points) {
    losses.push_back(point.loss);
    weights.push_back(static_cast<double>(point.seeds));
  }
  return non_increasing_fit(losses, weights);
}

std::optional<std::size_t> first_at_most(const std::vector<double>& fit, double epsilon) {
  const auto found = std::ranges::find_if(fit, [&](double loss) { return loss <= epsilon; });
  if (found == fit.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fit.begin());
}

}  // namespace

// Isotonic regression by pool adjacent violators (Barlow et al., Statistical Inference under Order
// Restrictions, 1972).
std::vector<double> non_increasing_fit(std::span<const double> values,
                                       std::span<const double> weights) {
  struct Pool {
    double mean, weight;
    std::size_t count;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pools.push_back({values[i], weights[i], 1});
    while (pools.size() > 1 && pools.back().mean > pools[pools.size() - 2].mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& before = pools.back();
      before.mean =
          (before.mean * before.weight + last.mean * last.weight) / (before.weight + last.weight);
      before.weight += last.weight;
      before.count += last.count;
    }
  }
  std::vector<double> fit;
  for (const Pool& pool : pools) fit.insert(fit.end(), pool.count, pool.mean);
  return fit;
}

std::optional<Bracket> bracket_of(Points points, double epsilon) {
  const std::optional<std::size_t> k = first_at_most(fit_of(points), epsilon);
  if (!k) return std::nullopt;
  return Bracket{*k == 0 ? 0 : points[*k - 1].n, points[*k].n};
}

std::optional<double> crossing_of(Points points, double epsilon) {
  const std::vector<double> fit = fit_of(points);
  const std::optional<std::size_t> k = first_at_most(fit, epsilon);
  if (!k) return std::nullopt;
  const double last = std::log(static_cast<double>(points[*k].n));
  if (*k == 0) return std::exp(last);
  const double first = std::log(static_cast<double>(points[*k - 1].n));
  const double share = (fit[*k - 1] - epsilon) / (fit[*k - 1] - fit[*k]);
  return std::exp(first + share * (last - first));
}

std::optional<Bracket> refine_bracket(std::vector<CurvePoint> points, double epsilon, int levels,
                                      const MeasureSizes& measure) {
  constexpr Index parts = 10;
  constexpr double fine = 0.01;
  std::optional<Bracket> bracket = bracket_of(points, epsilon);
  for (int level = 0; bracket && level < levels; ++level) {
    const Index width = bracket->high - bracket->low;
    if (width <= 1 || static_cast<double>(width) <= fine * static_cast<double>(bracket->high))
      break;
    std::vector<Index> sizes;
    for (Index j = 1; j < parts; ++j) {
      const Index size = bracket->low + (width * j + parts - 1) / parts;
      if (size < bracket->high && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
    }
    points = measure(sizes);
    bracket = bracket_of(points, epsilon);
  }
  return bracket;
}

}  // namespace assay
