#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "robust/corruption.h"
#include "robust/planes.h"

namespace assay {
namespace {

// The mean over a disk, whose edge pixels count by the part that lies inside.
void blur_by_disk(std::span<float> plane, Index size, double radius) {
  const std::vector<float> before(plane.begin(), plane.end());
  const auto reach = static_cast<Index>(std::ceil(radius));
  for (Index y = 0; y < size; ++y)
    for (Index x = 0; x < size; ++x) {
      double sum = 0.0;
      double weights = 0.0;
      for (Index dy = -reach; dy <= reach; ++dy)
        for (Index dx = -reach; dx <= reach; ++dx) {
          const double distance = std::hypot(static_cast<double>(dy), static_cast<double>(dx));
          const double weight = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
          if (weight == 0.0) continue;
          const Index row = std::clamp<Index>(y + dy, 0, size - 1);
          const Index column = std::clamp<Index>(x + dx, 0, size - 1);
          sum +=
              weight * static_cast<double>(before[static_cast<std::size_t>(row * size + column)]);
          weights += weight;
        }
      plane[static_cast<std::size_t>(y * size + x)] = static_cast<float>(sum / weights);
    }
}

}  // namespace

void blur_by_defocus(const Picture& picture, double strength) {
  constexpr double largest = 0.1;  // radius, as a share of the side
  const double radius = largest * strength * static_cast<double>(picture.size);
  for (Index c = 0; c < 3; ++c) blur_by_disk(picture.plane(c), picture.size, radius);
}

// Pixels change places with others nearby, as behind uneven glass.
void blur_by_glass(const Picture& picture, double strength, Random& random) {
  constexpr double farthest = 0.07;
  const double size = static_cast<double>(picture.size);
  const Index reach = std::max<Index>(1, std::lround(farthest * strength * size));
  const double touched = strength;  // share of the pixels that move
  for (Index y = 0; y < picture.size; ++y)
    for (Index x = 0; x < picture.size; ++x) {
      const bool moves = random.uniform() < touched;
      const Index row =
          std::clamp<Index>(y + random.below(2 * reach + 1) - reach, 0, picture.size - 1);
      const Index column =
          std::clamp<Index>(x + random.below(2 * reach + 1) - reach, 0, picture.size - 1);
      if (!moves) continue;
      for (Index c = 0; c < 3; ++c) {
        const std::span<float> plane = picture.plane(c);
        std::swap(plane[static_cast<std::size_t>(y * picture.size + x)],
                  plane[static_cast<std::size_t>(row * picture.size + column)]);
      }
    }
}

void blur_by_motion(const Picture& picture, double strength, Random& random) {
  constexpr double longest = 0.3;
  const double angle = std::numbers::pi * random.uniform();
  for (Index c = 0; c < 3; ++c)
    smear(picture.plane(c), picture.size, longest * strength * static_cast<double>(picture.size),
          angle);
}

// The mean of the picture at growing magnification about its middle.
void blur_by_zoom(const Picture& picture, double strength) {
  constexpr double most = 0.3;
  constexpr int shots = 6;
  const double middle = 0.5 * static_cast<double>(picture.size - 1);
  for (Index c = 0; c < 3; ++c) {
    const std::span<float> plane = picture.plane(c);
    const std::vector<float> before(plane.begin(), plane.end());
    for (Index y = 0; y < picture.size; ++y)
      for (Index x = 0; x < picture.size; ++x) {
        double sum = 0.0;
        for (int k = 0; k < shots; ++k) {
          const double zoom = 1.0 + most * strength * k / (shots - 1);
          sum += static_cast<double>(value_at(before, picture.size,
                                              middle + (static_cast<double>(y) - middle) / zoom,
                                              middle + (static_cast<double>(x) - middle) / zoom));
        }
        plane[static_cast<std::size_t>(y * picture.size + x)] = static_cast<float>(sum / shots);
      }
  }
}

}  // namespace assay
