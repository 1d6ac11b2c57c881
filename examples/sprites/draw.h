#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assay/types.h"
#include "shapes.h"

namespace sprites {

inline constexpr assay::Index kSide = 32;  // images are kSide x kSide pixels
inline constexpr assay::Index kChannels = 3;
inline constexpr assay::Index kImageBytes = kSide * kSide * kChannels;

enum class Texture { plain, stripes, checker, dots, rings, zigzag, grid, halves };
inline constexpr std::array kAllTextures = {Texture::plain, Texture::stripes, Texture::checker,
                                            Texture::dots,  Texture::rings,   Texture::zigzag,
                                            Texture::grid,  Texture::halves};

using Colour = std::array<double, kChannels>;  // red, green, blue in [0, 1]

// All that is to be seen in one image.
struct Sprite {
  Shape shape = Shape::disc;
  Texture texture = Texture::plain;
  double scale = 8.0;        // side of the square of the same area, in pixels
  double orientation = 0.0;  // counter-clockwise, in radians
  double x = kSide / 2.0;    // centroid, in pixels from the left
  double y = kSide / 2.0;    // ... and from the top
  Colour paint = {1.0, 1.0, 1.0};
  Colour ground = {0.0, 0.0, 0.0};
  double slope_x = 0.0;  // how much brighter the ground gets from left to right
  double slope_y = 0.0;  // ... and from top to bottom
  double noise = 0.0;    // standard deviation, of every channel of every pixel
  std::uint64_t noise_seed = 0;
};

// Writes kImageBytes: row by row from the top, red, green and blue of each pixel. A pixel on the
// edge is mixed by how much of it is covered, measured at 8 x 8 points. Textures have a period of a
// few pixels whatever the scale, turn with the shape and darken its paint.
void draw(const Sprite& sprite, std::span<std::uint8_t> out);

}  // namespace sprites
