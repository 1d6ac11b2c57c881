#include "draw.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/random.h"

namespace sprites {
namespace {

using assay::Index;

constexpr Index kPoints = 8;  // per side of a pixel
constexpr double kDark = 0.35;

double fraction(double value) { return value - std::floor(value); }

// Whether the paint is dark at this point of the shape's frame, here measured in pixels.
bool is_dark(Texture texture, Point point) {
  const auto [right, up] = point;
  switch (texture) {
    case Texture::plain:
      return false;
    case Texture::stripes:
      return fraction(right / 4.0) < 0.5;
    case Texture::checker:
      return (fraction(right / 6.0) < 0.5) != (fraction(up / 6.0) < 0.5);
    case Texture::dots:
      return std::hypot(fraction(right / 4.0) - 0.5, fraction(up / 4.0) - 0.5) < 0.33;
    case Texture::rings:
      return fraction(std::hypot(right, up) / 4.0) < 0.5;
    case Texture::zigzag:
      return fraction((up + 6.0 * std::abs(fraction(right / 6.0) - 0.5)) / 5.0) < 0.5;
    case Texture::grid:
      return fraction(right / 4.0) < 0.35 || fraction(up / 4.0) < 0.35;
    case Texture::halves:
      return up < 0.0;
  }
  return false;
}

struct Covered {
  double share = 0.0;  // of the pixel
  double light = 0.0;  // the same, dark paint counted for less
};

Covered covered_part(const Sprite& sprite, Index row, Index column) {
  const double cosine = std::cos(sprite.orientation);
  const double sine = std::sin(sprite.orientation);
  Covered covered;
  for (Index i = 0; i < kPoints * kPoints; ++i) {
    const double step = 1.0 / kPoints;
    const double dx =
        static_cast<double>(column) + (static_cast<double>(i % kPoints) + 0.5) * step - sprite.x;
    const double dy = sprite.y - static_cast<double>(row) -
                      (static_cast<double>(i / kPoints) + 0.5) * step;  // up
    const Point point = {cosine * dx + sine * dy, cosine * dy - sine * dx};
    if (!covers(sprite.shape, {point.right / sprite.scale, point.up / sprite.scale})) continue;
    covered.share += 1.0;
    covered.light += is_dark(sprite.texture, point) ? kDark : 1.0;
  }
  covered.share /= kPoints * kPoints;
  covered.light /= kPoints * kPoints;
  return covered;
}

}  // namespace

void draw(const Sprite& sprite, std::span<std::uint8_t> out) {
  assert(out.size() == static_cast<std::size_t>(kImageBytes));
  assay::Random random(sprite.noise_seed);
  const double radius = reach(sprite.shape) * sprite.scale + 1.0;  // and half a pixel's diagonal
  std::size_t next = 0;
  for (Index row = 0; row < kSide; ++row) {
    for (Index column = 0; column < kSide; ++column) {
      const double x = static_cast<double>(column) + 0.5;
      const double y = static_cast<double>(row) + 0.5;
      const bool near = std::hypot(x - sprite.x, y - sprite.y) < radius;
      const Covered covered = near ? covered_part(sprite, row, column) : Covered{};
      const double shade = sprite.slope_x * (x / kSide - 0.5) + sprite.slope_y * (y / kSide - 0.5);
      for (std::size_t channel = 0; channel < kChannels; ++channel) {
        const double clean = (1.0 - covered.share) * (sprite.ground[channel] + shade) +
                             covered.light * sprite.paint[channel];
        const double value = sprite.noise > 0.0 ? clean + sprite.noise * random.normal() : clean;
        out[next++] = static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(value, 0.0, 1.0)));
      }
    }
  }
}

}  // namespace sprites
