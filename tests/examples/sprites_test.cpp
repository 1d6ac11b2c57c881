// What the labels of the sprites say is measured again in the images.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <set>

#include "assay/images.h"
#include "support.h"
#include "world.h"
#include "write_questions.h"

namespace sprites {
namespace {

using assay::Index;
using assay::test::pool;

constexpr double kPi = std::numbers::pi;

std::vector<std::uint8_t> drawn(const Sprite& sprite) {
  std::vector<std::uint8_t> image(static_cast<std::size_t>(kImageBytes));
  draw(sprite, image);
  return image;
}

std::uint8_t red_at(const std::vector<std::uint8_t>& image, Index row, Index column) {
  return image[static_cast<std::size_t>((row * kSide + column) * kChannels)];
}

// What white paint on black ground shows of a sprite.
struct Measured {
  double area = 0.0;  // pixels
  double x = 0.0;     // centroid
  double y = 0.0;
  std::complex<double> lean{};  // sum of z |z|^2 about the centroid: turns as the sprite does
};

Measured measured(const std::vector<std::uint8_t>& image) {
  Measured out;
  const auto each_pixel = [&](const auto& action) {
    for (Index row = 0; row < kSide; ++row) {
      for (Index column = 0; column < kSide; ++column)
        action(red_at(image, row, column) / 255.0, static_cast<double>(column) + 0.5,
               static_cast<double>(row) + 0.5);
    }
  };
  each_pixel([&](double ink, double x, double y) {
    out.area += ink;
    out.x += ink * x;
    out.y += ink * y;
  });
  out.x /= out.area;
  out.y /= out.area;
  each_pixel([&](double ink, double x, double y) {
    const std::complex<double> z(x - out.x, out.y - y);
    out.lean += ink * z * std::norm(z);
  });
  return out;
}

class EveryShape : public testing::TestWithParam<Shape> {
 protected:
  Sprite sprite() const { return {.shape = GetParam()}; }
};

TEST_P(EveryShape, HasTheAreaAndTheCentroidOfItsLabels) {
  Sprite sprite = this->sprite();
  for (const auto& [scale, x, y, orientation] :
       {std::array{7.0, 11.3, 20.6, 0.4}, std::array{9.5, 16.2, 13.9, -2.0},
        std::array{12.0, 16.0, 16.0, 3.0}}) {
    sprite.scale = scale;
    sprite.x = x;
    sprite.y = y;
    sprite.orientation = orientation;
    const Measured seen = measured(drawn(sprite));
    EXPECT_NEAR(seen.area, scale * scale, 0.01 * scale * scale);
    EXPECT_NEAR(seen.x, x, 0.05);
    EXPECT_NEAR(seen.y, y, 0.05);
  }
}

TEST_P(EveryShape, ReachesAsFarAsItSays) {
  Sprite sprite = this->sprite();
  sprite.scale = 10.0;
  sprite.orientation = 0.7;
  const std::vector<std::uint8_t> image = drawn(sprite);
  double farthest = 0.0;
  for (Index i = 0; i < kSide * kSide; ++i) {
    if (image[static_cast<std::size_t>(i * kChannels)] == 0) continue;
    farthest = std::max(farthest, std::hypot(static_cast<double>(i % kSide) + 0.5 - sprite.x,
                                             static_cast<double>(i / kSide) + 0.5 - sprite.y));
  }
  EXPECT_LT(farthest, reach(GetParam()) * sprite.scale + 0.75);
  EXPECT_GT(farthest, reach(GetParam()) * sprite.scale - 1.5);
}

// Pixels, points inside pixels and the frame of the shape turn together.
TEST_P(EveryShape, TurnedByAQuarterIsTheImageTurnedByAQuarter) {
  Sprite sprite = this->sprite();
  sprite.texture = Texture::zigzag;
  sprite.scale = 10.0;
  sprite.orientation = 0.3;
  const std::vector<std::uint8_t> before = drawn(sprite);
  sprite.orientation += kPi / 2.0;
  const std::vector<std::uint8_t> after = drawn(sprite);
  for (Index row = 0; row < kSide; ++row) {
    for (Index column = 0; column < kSide; ++column) {
      // Counter-clockwise, what was right is on top; sines may round a pixel the other way.
      const int turned = red_at(before, column, kSide - 1 - row);
      ASSERT_NEAR(int{red_at(after, row, column)}, turned, 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sprites, EveryShape, testing::ValuesIn(kAllShapes),
                         [](const auto& row) { return std::string(shape_name(row.param)); });

TEST(Sprites, TargetShapesShowTheirOrientation) {
  for (const Shape shape : target_part().shapes) {
    Sprite sprite = {.shape = shape, .scale = 12.0};
    const std::complex<double> upright = measured(drawn(sprite)).lean;
    for (const double orientation : {-2.9, -1.2, 0.25, 0.9, 2.2}) {
      sprite.orientation = orientation;
      const std::complex<double> turned = measured(drawn(sprite)).lean;
      EXPECT_NEAR(std::arg(turned / upright / std::polar(1.0, orientation)), 0.0, 0.1)
          << shape_name(shape) << " turned by " << orientation;
    }
  }
}

TEST(Sprites, AnUprightTeeHasItsBarOnTop) {
  const std::vector<std::uint8_t> image = drawn({.shape = Shape::tee, .scale = 10.0});
  std::vector<double> rows;  // ink in each row that has any
  for (Index row = 0; row < kSide; ++row) {
    double ink = 0.0;
    for (Index column = 0; column < kSide; ++column) ink += red_at(image, row, column) / 255.0;
    if (ink > 1.0) rows.push_back(ink);
  }
  EXPECT_GT(rows[1], 2.5 * rows[rows.size() - 2]);  // 1.8 and 0.6 wide
}

// 0.35 of the light where the paint is dark, all of it elsewhere.
TEST(Sprites, TexturesDarkenAPartOfThePaintAndDiffer) {
  std::set<std::vector<std::uint8_t>> images;
  for (const Texture texture : kAllTextures) {
    const std::vector<std::uint8_t> image =
        drawn({.shape = Shape::square, .texture = texture, .scale = 16.0});
    const double dark = (1.0 - measured(image).area / 256.0) / 0.65;
    if (texture == Texture::plain) {
      EXPECT_NEAR(dark, 0.0, 1e-9);
    } else {
      EXPECT_GT(dark, 0.25);
      EXPECT_LT(dark, 0.75);
    }
    images.insert(image);
  }
  EXPECT_EQ(images.size(), kAllTextures.size());
}

TEST(Sprites, NoiseHasTheDeviationOfItsLabel) {
  const std::vector<std::uint8_t> image = drawn({.shape = Shape::disc,
                                                 .scale = 1e-3,
                                                 .ground = {0.5, 0.5, 0.5},
                                                 .noise = 0.1,
                                                 .noise_seed = 3});
  double squares = 0.0;
  for (const std::uint8_t value : image) squares += std::pow(value / 255.0 - 0.5, 2);
  // The standard error of a deviation from 3072 draws is 0.1 / sqrt(2 * 3072) = 0.0013.
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(image.size())), 0.1, 0.004);
}

TEST(SpriteScenes, TheSameSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  assay::ThreadPool alone(1);
  const Scene first = draw_scene(alone, source_part(), 60, 7);
  EXPECT_EQ(first.images, draw_scene(pool(), source_part(), 60, 7).images);
  EXPECT_NE(first.images, draw_scene(pool(), source_part(), 60, 8).images);
}

TEST(SpriteScenes, ShapesAndTexturesAreBalancedAndSpritesLieInside) {
  for (const Part& part : {source_part(), target_part()}) {
    const Scene scene = draw_scene(pool(), part, 240, 1);
    std::map<std::pair<Shape, Texture>, int> count;
    for (const Sprite& sprite : scene.sprites) {
      ++count[{sprite.shape, sprite.texture}];
      const double radius = reach(sprite.shape) * sprite.scale;
      EXPECT_GE(std::min(sprite.x, sprite.y) - radius, 0.0);
      EXPECT_LE(std::max(sprite.x, sprite.y) + radius, kSide);
      EXPECT_LE(std::abs(sprite.orientation), part.most_turned);
    }
    EXPECT_EQ(count.size(), 24U);
    for (const auto& [kind, times] : count) EXPECT_EQ(times, 10);
  }
}

TEST(SpriteScenes, TheTwoPartsOfTheWorldShareNeitherShapesNorTextures) {
  for (const Shape shape : target_part().shapes)
    EXPECT_THAT(source_part().shapes, testing::Not(testing::Contains(shape)));
  for (const Texture texture : target_part().textures)
    EXPECT_THAT(source_part().textures, testing::Not(testing::Contains(texture)));
}

TEST(SpriteQuestions, AreReadBackAsTheyWereDrawn) {
  const assay::test::TemporaryDirectory folder;
  const Scene train = draw_scene(pool(), target_part(), 48, 1);
  const Scene test = draw_scene(pool(), target_part(), 24, 2);
  write_questions(folder.path(), "train", train);
  write_questions(folder.path(), "test", test);
  for (const char* question : {"shapes", "textures", "scale", "orientation", "position"}) {
    const assay::ImageData data = assay::open_image_data(folder / question);
    ASSERT_EQ(data.train.images->count(), 48);
    ASSERT_TRUE(data.test.has_value());
    ASSERT_EQ(data.test->images->count(), 24);
    const std::vector<std::uint8_t> pixels = data.test->images->read(5).pixels;
    EXPECT_TRUE(std::equal(pixels.begin(), pixels.end(), test.images.begin() + 5 * kImageBytes));
  }
  const assay::Targets shapes = assay::open_image_data(folder / "shapes").train.targets;
  const assay::Targets position = assay::open_image_data(folder / "position").train.targets;
  const assay::Targets orientation = assay::open_image_data(folder / "orientation").train.targets;
  EXPECT_EQ(shapes.kind, assay::TargetKind::classes);
  EXPECT_EQ(position.kind, assay::TargetKind::regression);
  for (Index i = 0; i < 48; ++i) {
    const Sprite& sprite = train.sprites[static_cast<std::size_t>(i)];
    const Index code = shapes.labels[static_cast<std::size_t>(i)];
    EXPECT_EQ(shapes.names[static_cast<std::size_t>(code)],
              std::to_string(static_cast<int>(sprite.shape)));
    EXPECT_NEAR(position.values(i, 1) * kSide, sprite.y, 1e-5);
    EXPECT_NEAR(std::atan2(orientation.values(i, 1), orientation.values(i, 0)), sprite.orientation,
                1e-5);
  }
}

}  // namespace
}  // namespace sprites
