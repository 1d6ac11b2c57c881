#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "robust/corruption.h"
#include "robust/planes.h"

namespace assay {
namespace {

// Every pixel goes towards `colour` by the share that `cover` has there.
void cover_with(const Picture& picture, std::span<const float> cover,
                std::span<const double, 3> colour) {
  for (Index c = 0; c < 3; ++c) {
    const std::span<float> plane = picture.plane(c);
    for (std::size_t i = 0; i < plane.size(); ++i)
      plane[i] += cover[i] * (static_cast<float>(colour[static_cast<std::size_t>(c)]) - plane[i]);
  }
}

constexpr std::array<double, 3> kWhite = {1.0, 1.0, 1.0};
constexpr std::array<double, 3> kIce = {0.8, 0.9, 1.0};

}  // namespace

// Flakes that fall aslant, in a brighter air.
void add_snow(const Picture& picture, double strength, Random& random) {
  constexpr double most = 0.08;  // share of pixels where a flake is
  constexpr double path = 0.15;  // that it falls, as a share of the side
  constexpr double haze = 0.25;
  std::vector<float> flakes(static_cast<std::size_t>(picture.size * picture.size));
  for (float& flake : flakes) flake = random.uniform() < most * strength ? 1.0F : 0.0F;
  const double angle = std::numbers::pi * (0.35 + 0.3 * random.uniform());
  const double length = std::max(1.0, path * static_cast<double>(picture.size));
  smear(flakes, picture.size, length, angle);
  // A smeared flake is as bright as one of two pixels.
  for (float& flake : flakes)
    flake = std::min(
        1.0F, static_cast<float>(haze * strength + 0.5 * length * static_cast<double>(flake)));
  cover_with(picture, flakes, kWhite);
}

// Ice on the glass: bright along the ridges where two clouds are equal.
void add_frost(const Picture& picture, double strength, Random& random) {
  constexpr double width = 0.25;  // of a ridge, in values of the clouds
  const std::vector<float> a = cloud(picture.size, random);
  const std::vector<float> b = cloud(picture.size, random);
  std::vector<float> ice(a.size());
  for (std::size_t i = 0; i < ice.size(); ++i) {
    const double ridge = std::max(0.0, 1.0 - std::abs(static_cast<double>(a[i] - b[i])) / width);
    ice[i] = static_cast<float>(strength * (0.3 + 0.6 * ridge));
  }
  cover_with(picture, ice, kIce);
}

void add_fog(const Picture& picture, double strength, Random& random) {
  constexpr double least = 0.35;
  constexpr double more = 0.5;
  std::vector<float> fog = cloud(picture.size, random);
  for (float& value : fog)
    value = static_cast<float>(strength * (least + more * static_cast<double>(value)));
  cover_with(picture, fog, kWhite);
}

void brighten(const Picture& picture, double strength) {
  constexpr double most = 0.4;
  for (float& value : picture.values) value += static_cast<float>(most * strength);
}

}  // namespace assay
