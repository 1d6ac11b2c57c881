#include "robust/attack.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "learn/losses.h"
#include "linalg/gram.h"

namespace assay {
namespace {

std::vector<float> as_seen(const UnitImages& images, const PixelMap& map) {
  std::vector<float> out(images.pixels.size());
  const Index plane = images.size * images.size;
  for (Index k = 0; k < 3 * images.count; ++k) {
    const auto c = static_cast<std::size_t>(k % 3);
    for (Index i = k * plane; i < (k + 1) * plane; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out[at] = map.slope[c] * images.pixels[at] + map.offset[c];
    }
  }
  return out;
}

Matrix forward_features(Trainer& trainer, const UnitImages& images, const PixelMap& map,
                        Pass pass) {
  const std::vector<float> pixels = as_seen(images, map);
  const std::vector<float> values =
      trainer.forward({pixels.data(), images.count, 3, images.size, images.size}, pass);
  return Eigen::Map<const Eigen::MatrixXf>(
             values.data(), static_cast<Index>(values.size()) / images.count, images.count)
      .cast<double>();
}

// dL/du of every picture.
std::vector<float> ascent(Trainer& trainer, const UnitImages& images, std::span<const Label> labels,
                          const PixelMap& map, const LinearHead& head) {
  const Matrix features = forward_features(trainer, images, map, Pass::attack);
  const Matrix outputs = product(head.weight, true, features, false).colwise() + head.bias;
  const Eigen::MatrixXf outer =
      product(head.weight, false, cross_entropy(outputs, labels).gradient, false).cast<float>();
  std::vector<float> gradient =
      trainer.backward_to_pixels({outer.data(), static_cast<std::size_t>(outer.size())});
  const Index plane = images.size * images.size;
  for (std::size_t i = 0; i < gradient.size(); ++i)
    gradient[i] *= map.slope[static_cast<std::size_t>(static_cast<Index>(i) / plane % 3)];
  return gradient;
}

double length_of(std::span<const float> values) {
  double square = 0.0;
  for (const float value : values) square += static_cast<double>(value) * value;
  return std::sqrt(square);
}

// One step for one picture: along the gradient, back into the ball around `centre`, into [0, 1].
void move(std::span<float> picture, std::span<const float> centre, std::span<const float> gradient,
          double step, double radius) {
  const double slope = length_of(gradient);
  if (!(slope > 0.0)) return;
  std::vector<float> shift(picture.size());
  for (std::size_t i = 0; i < shift.size(); ++i)
    shift[i] = picture[i] - centre[i] + static_cast<float>(step * gradient[i] / slope);
  const double length = length_of(shift);
  const double shrink = length > radius ? radius / length : 1.0;
  for (std::size_t i = 0; i < shift.size(); ++i) {
    picture[i] = std::clamp(centre[i] + static_cast<float>(shrink * shift[i]), 0.0F, 1.0F);
  }
}

}  // namespace

Matrix features_of(Trainer& trainer, const UnitImages& images, const PixelMap& map) {
  return forward_features(trainer, images, map, Pass::evaluation);
}

// Projected gradient ascent of Madry et al., ICLR 2018, in the Euclidean ball, step 2.5 epsilon /
// steps.
UnitImages attacked(Trainer& trainer, const UnitImages& images, std::span<const Label> labels,
                    const PixelMap& map, const LinearHead& head, const AttackOptions& options) {
  assert(static_cast<Index>(labels.size()) == images.count);
  UnitImages out = images;
  if (options.epsilon == 0.0) return out;
  constexpr double overshoot = 2.5;  // enough to cross the ball and come back along its surface
  const double step = overshoot * options.epsilon / static_cast<double>(options.steps);
  const auto length = static_cast<std::size_t>(images.length());
  for (Index k = 0; k < options.steps; ++k) {
    const std::vector<float> gradient = ascent(trainer, out, labels, map, head);
    for (Index i = 0; i < images.count; ++i) {
      const std::size_t first = static_cast<std::size_t>(i) * length;
      move(std::span(out.pixels).subspan(first, length), images.image(i),
           std::span(gradient).subspan(first, length), step, options.epsilon);
    }
  }
  return out;
}

}  // namespace assay
