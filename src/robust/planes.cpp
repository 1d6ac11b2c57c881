#include "robust/planes.h"

#include <algorithm>
#include <cmath>

namespace assay {

float value_at(std::span<const float> plane, Index size, double y, double x) {
  const double last = static_cast<double>(size - 1);
  const double row = std::clamp(y, 0.0, last);
  const double column = std::clamp(x, 0.0, last);
  const auto top = static_cast<Index>(row);
  const auto left = static_cast<Index>(column);
  const Index below = std::min(top + 1, size - 1);
  const Index right = std::min(left + 1, size - 1);
  const double down = row - static_cast<double>(top);
  const double across = column - static_cast<double>(left);
  const auto at = [&](Index i, Index j) {
    return static_cast<double>(plane[static_cast<std::size_t>(i * size + j)]);
  };
  return static_cast<float>((1.0 - down) *
                                ((1.0 - across) * at(top, left) + across * at(top, right)) +
                            down * ((1.0 - across) * at(below, left) + across * at(below, right)));
}

std::vector<float> cloud(Index size, Random& random) {
  std::vector<float> out(static_cast<std::size_t>(size * size));
  double weight = 1.0;
  for (Index cells = 2; cells <= size; cells *= 2, weight *= 0.5) {
    std::vector<float> grid(static_cast<std::size_t>(cells * cells));
    for (float& value : grid) value = static_cast<float>(random.uniform());
    const double step =
        static_cast<double>(cells - 1) / static_cast<double>(std::max<Index>(1, size - 1));
    for (Index y = 0; y < size; ++y)
      for (Index x = 0; x < size; ++x) {
        const float value =
            value_at(grid, cells, static_cast<double>(y) * step, static_cast<double>(x) * step);
        out[static_cast<std::size_t>(y * size + x)] += static_cast<float>(weight) * value;
      }
  }
  const auto [low, high] = std::ranges::minmax(out);
  const float range = high > low ? high - low : 1.0F;
  for (float& value : out) value = (value - low) / range;
  return out;
}

void smear(std::span<float> plane, Index size, double length, double angle) {
  const std::vector<float> before(plane.begin(), plane.end());
  const int points = std::max(2, static_cast<int>(std::ceil(length)) + 1);
  for (Index y = 0; y < size; ++y)
    for (Index x = 0; x < size; ++x) {
      double sum = 0.0;
      for (int k = 0; k < points; ++k) {
        const double along = length * (static_cast<double>(k) / (points - 1) - 0.5);
        sum += static_cast<double>(value_at(before, size,
                                            static_cast<double>(y) + along * std::sin(angle),
                                            static_cast<double>(x) + along * std::cos(angle)));
      }
      plane[static_cast<std::size_t>(y * size + x)] = static_cast<float>(sum / points);
    }
}

}  // namespace assay
