#include <algorithm>
#include <cmath>

#include "robust/corruption.h"

namespace assay {

void add_gaussian_noise(const Picture& picture, double strength, Random& random) {
  constexpr double strongest = 0.2;  // standard deviation
  for (float& value : picture.values)
    value += static_cast<float>(strongest * strength * random.normal());
}

// Photons that are counted: a variance that grows with the light. Counts are large enough for the
// normal law.
void add_shot_noise(const Picture& picture, double strength, Random& random) {
  constexpr double fewest = 12.0;  // photons of a white pixel, at the severest
  const double photons = fewest / (strength * strength);
  for (float& value : picture.values) {
    const double light = std::max(0.0, static_cast<double>(value));
    value += static_cast<float>(std::sqrt(light / photons) * random.normal());
  }
}

// Single values that are black or white.
void add_impulse_noise(const Picture& picture, double strength, Random& random) {
  constexpr double most = 0.15;  // share of them
  for (float& value : picture.values) {
    const double draw = random.uniform();
    if (draw < 0.5 * most * strength) value = 0.0F;
    if (draw > 1.0 - 0.5 * most * strength) value = 1.0F;
  }
}

}  // namespace assay
