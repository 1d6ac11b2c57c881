#pragma once

#include <array>
#include <functional>
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

// The head's outputs of features, C x count.
Matrix outputs_of(const LinearHead& head, const Matrix& features);

// The head's outputs of the pictures, and the gradient by their pixels of the loss whose gradient
// by the outputs `by_outputs` gives.
struct Ascent {
  Matrix outputs;
  std::vector<float> gradient;
};
Ascent ascend(Trainer& trainer, const UnitImages& images, const PixelMap& map,
              const LinearHead& head, const std::function<Matrix(const Matrix&)>& by_outputs);

// The point of the ball |x - centre|_2 <= radius and of [0, 1] that x is moved to: along the line
// to the centre, then value by value.
void project(std::span<float> x, std::span<const float> centre, double radius);

double length_of(std::span<const float> values);

// Projected gradient ascent of the cross-entropy over |delta|_2 <= epsilon, pictures staying in
// [0, 1]: `steps` steps of length `step` along the normalised gradient from the pictures in `from`,
// which lie in the ball. A picture whose gradient vanishes stays.
UnitImages climbed(Trainer& trainer, const UnitImages& images, UnitImages from,
                   std::span<const Label> labels, const PixelMap& map, const LinearHead& head,
                   const AttackOptions& options, double step);

// The same from the pictures themselves, by steps of 2.5 epsilon / steps: enough to cross the ball
// and come back along its surface.
double usual_step(const AttackOptions& options);
UnitImages attacked(Trainer& trainer, const UnitImages& images, std::span<const Label> labels,
                    const PixelMap& map, const LinearHead& head, const AttackOptions& options);

}  // namespace assay
