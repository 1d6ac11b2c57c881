#pragma once

#include <cstdint>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "core/random.h"
#include "draw.h"

namespace sprites {

// A part of the world of sprites: which shapes and textures there are, and how they stand.
struct Part {
  std::vector<Shape> shapes;
  std::vector<Texture> textures;
  double most_turned = 0.0;  // orientation is uniform within plus and minus this, in radians
  double most_noise = 0.0;   // noise is uniform up to this
};

// What networks are pre-trained on: six shapes and four textures, nearly upright.
Part source_part();

// What they are ranked for: six other shapes, which no turn but a full one brings back to
// themselves, and four other textures, turned farther.
Part target_part();

inline constexpr double kSmallest = 8.0;  // scale is uniform between these
inline constexpr double kLargest = 13.0;

// A sprite of that part that lies inside the image; everything is random but shape and texture.
Sprite random_sprite(const Part& part, Shape shape, Texture texture, assay::Random& random);

struct Scene {
  std::vector<Sprite> sprites;
  std::vector<std::uint8_t> images;  // kImageBytes for each of them
};

// `count` sprites in random order; all pairs of a shape and a texture equally often, to within one.
Scene draw_scene(assay::ThreadPool& pool, const Part& part, assay::Index count, std::uint64_t seed);

}  // namespace sprites
