#pragma once

#include <array>
#include <span>
#include <vector>

#include "assay/network.h"
#include "assay/types.h"

namespace assay {

// Pictures with values in [0, 1]: NCHW, three channels in the network's order.
struct UnitImages {
  std::vector<float> pixels;
  Index count = 0, size = 0;  // size x size

  Index length() const { return 3 * size * size; }
  std::span<const float> image(Index i) const {
    return {pixels.data() + i * length(), static_cast<std::size_t>(length())};
  }
};

// What the network sees of a value u of channel c: slope[c] u + offset[c].
struct PixelMap {
  std::array<float, 3> slope = {1.0F, 1.0F, 1.0F};
  std::array<float, 3> offset = {};
};

// A linear classifier on features as the network gives them: outputs = weight' f + bias.
struct LinearHead {
  Matrix weight;  // D x C
  Vector bias;    // C
};

struct AttackOptions {
  double epsilon = 0.0;  // radius of the ball, in values of [0, 1]
  Index steps = 10;
};

// Features of the pictures, D x count; BatchNorm as it stands.
Matrix features_of(Trainer& trainer, const UnitImages& images, const PixelMap& map);

// Projected gradient ascent of the cross-entropy over |delta|_2 <= epsilon, pictures staying in
// [0, 1]: each step goes 2.5 epsilon / steps along the normalised gradient, from the picture
// itself. A picture whose gradient vanishes stays. Returns the attacked pictures.
UnitImages attacked(Trainer& trainer, const UnitImages& images, std::span<const Label> labels,
                    const PixelMap& map, const LinearHead& head, const AttackOptions& options);

}  // namespace assay
