#include "robust/attack.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

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

// One step for one picture: along the gradient, back into the ball around `centre`, into [0, 1].
void move(std::span<float> picture, std::span<const float> centre, std::span<const float> gradient,
          double step, double radius) {
  const double slope = length_of(gradient);
  if (!(slope > 0.0)) return;
  for (std::size_t i = 0; i < picture.size(); ++i)
    picture[i] += static_cast<float>(step * static_cast<double>(gradient[i]) / slope);
  project(picture, centre, radius);
}

}  // namespace

double length_of(std::span<const float> values) {
  double square = 0.0;
  for (const float value : values)
    square += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(square);
}

void project(std::span<float> x, std::span<const float> centre, double radius) {
  double square = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double shift = static_cast<double>(x[i]) - static_cast<double>(centre[i]);
    square += shift * shift;
  }
  const double length = std::sqrt(square);
  const double shrink = length > radius ? radius / length : 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto shift = static_cast<float>(shrink * static_cast<double>(x[i] - centre[i]));
    x[i] = std::clamp(centre[i] + shift, 0.0F, 1.0F);
  }
}

Matrix features_of(Trainer& trainer, const UnitImages& images, const PixelMap& map) {
  return forward_features(trainer, images, map, Pass::evaluation);
}

Matrix outputs_of(const LinearHead& head, const Matrix& features) {
  return product(head.weight, true, features, false).colwise() + head.bias;
}

Ascent ascend(Trainer& trainer, const UnitImages& images, const PixelMap& map,
              const LinearHead& head, const std::function<Matrix(const Matrix&)>& by_outputs) {
  Ascent out;
  out.outputs = outputs_of(head, forward_features(trainer, images, map, Pass::attack));
  const Eigen::MatrixXf outer =
      product(head.weight, false, by_outputs(out.outputs), false).cast<float>();
  out.gradient = trainer.backward_to_pixels({outer.data(), static_cast<std::size_t>(outer.size())});
  const Index plane = images.size * images.size;
  for (std::size_t i = 0; i < out.gradient.size(); ++i)
    out.gradient[i] *= map.slope[static_cast<std::size_t>(static_cast<Index>(i) / plane % 3)];
  return out;
}

UnitImages climbed(Trainer& trainer, const UnitImages& images, UnitImages from,
                   std::span<const Label> labels, const PixelMap& map, const LinearHead& head,
                   const AttackOptions& options, double step) {
  assert(static_cast<Index>(labels.size()) == images.count && from.count == images.count);
  const auto by_outputs = [&](const Matrix& outputs) {
    return cross_entropy(outputs, labels).gradient;
  };
  const auto length = static_cast<std::size_t>(images.length());
  for (Index k = 0; k < options.steps; ++k) {
    const Ascent up = ascend(trainer, from, map, head, by_outputs);
    for (Index i = 0; i < images.count; ++i) {
      const std::size_t first = static_cast<std::size_t>(i) * length;
      move(std::span(from.pixels).subspan(first, length), images.image(i),
           std::span(up.gradient).subspan(first, length), step, options.epsilon);
    }
  }
  return from;
}

double usual_step(const AttackOptions& options) {
  constexpr double overshoot = 2.5;
  return overshoot * options.epsilon / static_cast<double>(options.steps);
}

UnitImages attacked(Trainer& trainer, const UnitImages& images, std::span<const Label> labels,
                    const PixelMap& map, const LinearHead& head, const AttackOptions& options) {
  if (options.epsilon == 0.0) return images;
  return climbed(trainer, images, images, labels, map, head, options, usual_step(options));
}

}  // namespace assay
