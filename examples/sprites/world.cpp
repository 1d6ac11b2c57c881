#include "world.h"

#include <cmath>
#include <numbers>

namespace sprites {
namespace {

using assay::Index;
using assay::Random;

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

double brightness(const Colour& colour) {
  return 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
}

Colour random_colour(Random& random) {
  Colour colour{};
  for (double& value : colour) value = random.uniform();
  return colour;
}

}  // namespace

Part source_part() {
  return {{Shape::disc, Shape::square, Shape::triangle, Shape::star, Shape::house, Shape::cross},
          {Texture::plain, Texture::stripes, Texture::checker, Texture::dots},
          std::numbers::pi / 6.0,
          0.05};
}

Part target_part() {
  return {{Shape::heart, Shape::arrow, Shape::crescent, Shape::ell, Shape::tee, Shape::drop},
          {Texture::rings, Texture::zigzag, Texture::grid, Texture::halves},
          std::numbers::pi / 2.0,
          0.08};
}

Sprite random_sprite(const Part& part, Shape shape, Texture texture, Random& random) {
  Sprite sprite;
  sprite.shape = shape;
  sprite.texture = texture;
  sprite.scale = between(random, kSmallest, kLargest);
  sprite.orientation = between(random, -part.most_turned, part.most_turned);
  const double margin = reach(shape) * sprite.scale;
  sprite.x = between(random, margin, kSide - margin);
  sprite.y = between(random, margin, kSide - margin);
  do {  // sprites are lit
    sprite.paint = random_colour(random);
    sprite.ground = random_colour(random);
  } while (brightness(sprite.paint) - brightness(sprite.ground) < 0.35);
  sprite.slope_x = between(random, -0.2, 0.2);
  sprite.slope_y = between(random, -0.2, 0.2);
  sprite.noise = between(random, 0.0, part.most_noise);
  sprite.noise_seed = static_cast<std::uint64_t>(random.below(Index{1} << 62));
  return sprite;
}

Scene draw_scene(assay::ThreadPool& pool, const Part& part, Index count, std::uint64_t seed) {
  Random random(seed);
  const auto shapes = static_cast<Index>(part.shapes.size());
  const auto textures = static_cast<Index>(part.textures.size());
  Scene scene;
  for (const Index place : random.permutation(count)) {
    const Index kind = place % (shapes * textures);
    scene.sprites.push_back(
        random_sprite(part, part.shapes[static_cast<std::size_t>(kind % shapes)],
                      part.textures[static_cast<std::size_t>(kind / shapes)], random));
  }
  scene.images.resize(static_cast<std::size_t>(count * kImageBytes));
  pool.run(count, [&](Index i) {
    draw(scene.sprites[static_cast<std::size_t>(i)],
         std::span(scene.images)
             .subspan(static_cast<std::size_t>(i * kImageBytes),
                      static_cast<std::size_t>(kImageBytes)));
  });
  return scene;
}

}  // namespace sprites
