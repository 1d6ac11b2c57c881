#include "metrics/shift_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace assay {
namespace {

constexpr double kWidth = 4.0;  // of a piece, in log t
constexpr std::size_t kPoints = 16;

struct Weight {
  std::size_t shift = 0;   // of the grid
  std::size_t column = 0;  // of what is wanted
  double value = 0.0;
};

// Lagrange's polynomials on Chebyshev's points of the first kind, in barycentric form.
void interpolate(double middle, std::span<const double> logs, std::span<const std::size_t> columns,
                 std::vector<double>& shifts, std::vector<Weight>& weights) {
  const std::size_t first = shifts.size();
  std::vector<double> points;
  std::vector<double> barycentric;
  for (std::size_t k = 0; k < kPoints; ++k) {
    const double angle =
        (static_cast<double>(2 * k) + 1.0) * std::numbers::pi / static_cast<double>(2 * kPoints);
    points.push_back(middle + 0.5 * kWidth * std::cos(angle));
    barycentric.push_back((k % 2 == 0 ? 1.0 : -1.0) * std::sin(angle));
    shifts.push_back(std::exp(points.back()));
  }
  for (const std::size_t column : columns) {
    std::vector<double> share(kPoints, 0.0);
    for (std::size_t k = 0; k < kPoints; ++k) {
      const double away = logs[column] - points[k];
      if (away == 0.0) {
        std::fill(share.begin(), share.end(), 0.0);
        share[k] = 1.0;
        break;
      }
      share[k] = barycentric[k] / away;
    }
    const double sum = std::accumulate(share.begin(), share.end(), 0.0);
    for (std::size_t k = 0; k < kPoints; ++k)
      weights.push_back({first + k, column, share[k] / sum});
  }
}

}  // namespace

// Barycentric interpolation in log t (Berrut and Trefethen, SIAM Review 2004); shift_grid.h says
// why it converges.
ShiftGrid shift_grid(std::span<const double> wanted) {
  std::vector<double> logs;
  for (const double shift : wanted) logs.push_back(std::log(shift));
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return logs[a] < logs[b]; });
  ShiftGrid grid;
  std::vector<Weight> weights;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;  // comes to an end whatever the shifts are
    while (end < order.size() && logs[order[end]] <= logs[order[begin]] + kWidth) ++end;
    const auto piece = std::span<const std::size_t>(order).subspan(begin, end - begin);
    if (piece.size() <= kPoints) {
      for (const std::size_t column : piece) {
        weights.push_back({grid.shifts.size(), column, 1.0});
        grid.shifts.push_back(wanted[column]);
      }
    } else {
      interpolate(logs[order[begin]] + 0.5 * kWidth, logs, piece, grid.shifts, weights);
    }
    begin = end;
  }
  grid.weights = Matrix::Zero(std::ssize(grid.shifts), std::ssize(wanted));
  for (const Weight& one : weights)
    grid.weights(static_cast<Index>(one.shift), static_cast<Index>(one.column)) = one.value;
  return grid;
}

}  // namespace assay
