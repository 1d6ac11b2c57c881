// Tests: robust/corrupt_by_blur, robust/corrupt_by_noise, robust/corrupt_by_weather.
// Tests: robust/corrupt_digitally, robust/planes.
#include "robust/corruption.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random.h"

namespace assay {
namespace {

constexpr Index kEdge = 32;

// Smooth waves with a little texture, as photographs have.
UnitImages photographs(Index count) {
  UnitImages out{{}, count, kEdge};
  Random random(3);
  for (Index k = 0; k < 3 * count; ++k) {
    const double turn = random.uniform();
    for (Index y = 0; y < kEdge; ++y)
      for (Index x = 0; x < kEdge; ++x) {
        const double wave = std::sin(0.4 * static_cast<double>(x) + 6.0 * turn) *
                            std::cos(0.3 * static_cast<double>(y));
        out.pixels.push_back(
            static_cast<float>(0.5 + 0.3 * wave + 0.05 * (random.uniform() - 0.5)));
      }
  }
  return out;
}

double distance(const UnitImages& a, const UnitImages& b) {
  double square = 0.0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    square += std::pow(static_cast<double>(a.pixels[i] - b.pixels[i]), 2.0);
  return std::sqrt(square);
}

TEST(Corruption, EveryKindGrowsWithItsSeverityAndStaysInRange) {
  const UnitImages images = photographs(4);
  for (const Corruption kind : kCorruptions) {
    double last = 0.0;
    for (int severity = 1; severity <= kSeverities; ++severity) {
      const UnitImages worse = corrupted(images, kind, severity, 1, 0);
      for (const float value : worse.pixels) ASSERT_TRUE(value >= 0.0F && value <= 1.0F);
      const double now = distance(worse, images);
      EXPECT_GT(now, last) << corruption_name(kind) << " " << severity;
      last = now;
    }
    EXPECT_GT(last, 1.0) << corruption_name(kind);   // 4 pictures of 3,072 values
    EXPECT_LT(last, 60.0) << corruption_name(kind);  // not another picture
  }
}

TEST(Corruption, DependsOnSeedAndNumberOnly) {
  const UnitImages images = photographs(3);
  UnitImages second{{}, 1, kEdge};
  const std::span<const float> one = images.image(1);
  second.pixels.assign(one.begin(), one.end());
  for (const Corruption kind : kCorruptions) {
    const UnitImages all = corrupted(images, kind, 3, 7, 10);
    const UnitImages alone = corrupted(second, kind, 3, 7, 11);
    const std::span<const float> same = all.image(1);
    EXPECT_TRUE(std::equal(same.begin(), same.end(), alone.pixels.begin()))
        << corruption_name(kind);
  }
  EXPECT_NE(corrupted(images, Corruption::gaussian_noise, 3, 7, 0).pixels,
            corrupted(images, Corruption::gaussian_noise, 3, 8, 0).pixels);
}

TEST(Corruption, TakesPicturesOfAnySize) {
  for (const Index side : {1, 2, 7, 33}) {
    UnitImages one{std::vector<float>(static_cast<std::size_t>(3 * side * side), 0.4F), 1, side};
    for (const Corruption kind : kCorruptions)
      for (const float value : corrupted(one, kind, 5, 1, 0).pixels)
        EXPECT_TRUE(std::isfinite(value)) << corruption_name(kind) << " " << side;
  }
}

TEST(Corruption, DoesWhatItSays) {
  const UnitImages images = photographs(1);
  const auto variance = [](std::span<const float> values) {
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double sum = 0.0;
    for (const float value : values) sum += std::pow(static_cast<double>(value) - mean, 2.0);
    return sum / static_cast<double>(values.size());
  };
  const auto after = [&](Corruption kind) { return corrupted(images, kind, 5, 1, 0); };
  // Contrast keeps 15 % of the deviation; blurs leave less of it; the mean of pixelated blocks
  // stays.
  EXPECT_NEAR(variance(after(Corruption::contrast).pixels), 0.15 * 0.15 * variance(images.pixels),
              1e-5);
  for (const Corruption blur : {Corruption::defocus_blur, Corruption::motion_blur})
    EXPECT_LT(variance(after(blur).pixels), variance(images.pixels));
  const UnitImages coarse = after(Corruption::pixelate);
  EXPECT_NEAR(std::accumulate(coarse.pixels.begin(), coarse.pixels.end(), 0.0),
              std::accumulate(images.pixels.begin(), images.pixels.end(), 0.0), 0.1);
  for (Index x = 0; x + 1 < 4; ++x)  // cells of 4 x 4
    EXPECT_EQ(coarse.pixels[static_cast<std::size_t>(x)],
              coarse.pixels[static_cast<std::size_t>(x + 1)]);
  // Noise of the stated deviation.
  const UnitImages noisy = after(Corruption::gaussian_noise);
  EXPECT_NEAR(distance(noisy, images) / std::sqrt(3.0 * kEdge * kEdge), 0.2, 0.02);
}

// Frequencies of a constant block are 0 but for one, which is rounded by at most half a step.
TEST(Corruption, CompressingAConstantPictureKeepsItConstant) {
  UnitImages flat{std::vector<float>(3 * kEdge * kEdge, 0.37F), 1, kEdge};
  const UnitImages found = corrupted(flat, Corruption::jpeg, 5, 1, 0);
  for (const float value : found.pixels) EXPECT_NEAR(value, 0.37F, 0.5F * 0.12F / 8.0F + 1e-5F);
}

}  // namespace
}  // namespace assay
