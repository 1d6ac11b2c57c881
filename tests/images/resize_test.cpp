#include "images/resize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using test::golden;

Image picture() {
  const Array array = open_npy(golden("images/rgb.npy"));
  Image image{array.shape[0], array.shape[1], {}};
  for (const std::byte byte : array.bytes)
    image.pixels.push_back(std::to_integer<std::uint8_t>(byte));
  return image;
}

std::vector<float> resized(const ImageView& view, Index height, Index width) {
  std::vector<float> out(static_cast<std::size_t>(view.channels * height * width));
  resize(view, ResizeTo::all(height, width), Interpolation::bilinear, out);
  return out;
}

class Resize : public testing::TestWithParam<std::pair<Index, Index>> {};

// Dense triangle weights in NumPy, double (tests/golden/images/README.md): larger, where they are
// plain bilinear interpolation, and smaller, where they average.
TEST_P(Resize, AgreesWithDenseWeightsInNumPy) {
  const auto [height, width] = GetParam();
  const Array expected =
      open_npy(golden(fmt::format("images/rgb_resized_{}x{}.npy", height, width)));
  const std::vector<float> found = resized(picture().view(), height, width);
  ASSERT_EQ(static_cast<Index>(found.size()), expected.size());
  for (Index i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(found[static_cast<std::size_t>(i)], number_at(expected, i), 1e-4) << i;
}

INSTANTIATE_TEST_SUITE_P(Sizes, Resize, testing::Values(std::pair{5, 7}, std::pair{20, 23}));

class Bicubic : public testing::TestWithParam<std::pair<Index, Index>> {};

// Pillow's BICUBIC in floating point (tests/golden/images/README.md).
TEST_P(Bicubic, AgreesWithPillow) {
  const auto [height, width] = GetParam();
  const Array expected =
      open_npy(golden(fmt::format("images/rgb_bicubic_{}x{}.npy", height, width)));
  std::vector<float> found(static_cast<std::size_t>(expected.size()));
  resize(picture().view(), ResizeTo::all(height, width), Interpolation::bicubic, found);
  for (Index i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(found[static_cast<std::size_t>(i)], number_at(expected, i), 1e-3) << i;
}

INSTANTIATE_TEST_SUITE_P(Sizes, Bicubic, testing::Values(std::pair{5, 7}, std::pair{20, 23}));

TEST(ResizeBicubic, CutsOffWhatOvershoots) {
  const std::vector<std::uint8_t> step = {0, 0, 255, 255};
  std::vector<float> found(12);
  resize({step.data(), 1, 4, 1, 4}, ResizeTo::all(1, 12), Interpolation::bicubic, found);
  EXPECT_EQ(*std::ranges::min_element(found), 0.0F);
  EXPECT_EQ(*std::ranges::max_element(found), 255.0F);
}

TEST(Resize, OfAPartIsThePartOfTheWhole) {
  const Image image = picture();
  for (const Interpolation kind : {Interpolation::bilinear, Interpolation::bicubic}) {
    std::vector<float> whole(3 * 9 * 11);
    resize(image.view(), ResizeTo::all(9, 11), kind, whole);
    std::vector<float> part(3 * 4 * 5);
    resize(image.view(), {9, 11, 2, 3, 4, 5}, kind, part);
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t y = 0; y < 4; ++y) {
        for (std::size_t x = 0; x < 5; ++x)
          ASSERT_EQ(part[(c * 4 + y) * 5 + x], whole[(c * 9 + y + 2) * 11 + x + 3]);
      }
    }
  }
}

TEST(ResizeBilinear, LeavesAnImageOfTheSameSizeAlone) {
  const Image image = picture();
  const std::vector<float> found = resized(image.view(), image.height, image.width);
  for (Index c = 0; c < 3; ++c) {
    for (Index i = 0; i < image.height * image.width; ++i) {
      ASSERT_EQ(found[static_cast<std::size_t>(c * image.height * image.width + i)],
                image.pixels[static_cast<std::size_t>(3 * i + c)]);
    }
  }
}

// 2 x 2 -> 4 x 4 by hand: centres at -1/4, 1/4, 3/4, 5/4 of a pixel, clamped at the edges.
TEST(ResizeBilinear, UsesHalfPixelCentres) {
  const std::vector<std::uint8_t> pixels = {0, 100, 200, 100};
  const ImageView view{pixels.data(), 2, 2, 1, 2};
  const std::vector<float> found = resized(view, 4, 4);
  const std::vector<float> first_row = {0, 25, 75, 100};
  const std::vector<float> second_row = {50, 62.5, 87.5, 100};  // 3/4 of the first, 1/4 of the last
  for (std::size_t x = 0; x < 4; ++x) {
    EXPECT_FLOAT_EQ(found[x], first_row[x]);
    EXPECT_FLOAT_EQ(found[4 + x], second_row[x]);
  }
}

TEST(ResizeBilinear, ToOnePixelIsAWeightedMean) {
  const std::vector<std::uint8_t> flat(std::size_t{50} * 40, 77);
  const ImageView view{flat.data(), 50, 40, 1, 40};
  EXPECT_FLOAT_EQ(resized(view, 1, 1)[0], 77.0F);
  const std::vector<std::uint8_t> one = {9};
  for (const float value : resized({one.data(), 1, 1, 1, 1}, 7, 5)) EXPECT_FLOAT_EQ(value, 9.0F);
}

// A crop must not see what lies outside it.
TEST(ResizeBilinear, OfACropEqualsThatOfACopy) {
  const Image image = picture();
  Image part{5, 6, {}};
  for (Index y = 0; y < 5; ++y) {
    for (Index x = 0; x < 18; ++x)
      part.pixels.push_back(image.pixels[static_cast<std::size_t>((y + 3) * 48 + 3 * 4 + x)]);
  }
  for (const auto& [height, width] : {std::pair<Index, Index>{9, 3}, {2, 8}}) {
    EXPECT_EQ(resized(image.view().crop(3, 4, 5, 6), height, width),
              resized(part.view(), height, width));
  }
}

}  // namespace
}  // namespace assay
