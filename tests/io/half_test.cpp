#include "io/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace assay {
namespace {

bool is_nan_pattern(std::uint32_t bits) {
  return (bits & 0x7C00U) == 0x7C00U && (bits & 0x3FFU) != 0;
}

TEST(Half, EveryPatternSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (is_nan_pattern(bits)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else {
      EXPECT_EQ(float_to_half(value), bits);
    }
  }
}

TEST(Half, KnownValuesOfTheStandard) {
  EXPECT_EQ(half_to_float(0x3C00), 1.0F);
  EXPECT_EQ(half_to_float(0xC000), -2.0F);
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0F);     // largest
  EXPECT_EQ(half_to_float(0x0400), 0x1.0p-14F);   // smallest normal
  EXPECT_EQ(half_to_float(0x0001), 0x1.0p-24F);   // smallest subnormal
  EXPECT_EQ(half_to_float(0x3555), 0x1.554p-2F);  // nearest to 1/3
  EXPECT_EQ(half_to_float(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

TEST(Half, ManyAtOnceAgreeWithOneByOne) {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    halves.push_back(static_cast<std::uint16_t>(bits));
  halves.resize(halves.size() - 3);  // a length that is no multiple of eight
  std::vector<float> values(halves.size());
  half_to_float(halves, values.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    if (is_nan_pattern(halves[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
    } else {
      EXPECT_EQ(values[i], half_to_float(halves[i])) << i;
    }
  }
}

TEST(Half, RoundsToNearestWithTiesToEven) {
  EXPECT_EQ(float_to_half(2049.0F), 0x6800);          // between 2048 and 2050: even mantissa
  EXPECT_EQ(float_to_half(2051.0F), 0x6802);          // between 2050 and 2052
  EXPECT_EQ(float_to_half(65519.0F), 0x7BFF);         // still nearer to 65504
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00);         // half way to 65536: infinity
  EXPECT_EQ(float_to_half(0x1.0p-25F), 0x0000);       // half of the smallest: to even
  EXPECT_EQ(float_to_half(0x1.8p-24F), 0x0002);       // 1.5 of the smallest: to even
  EXPECT_EQ(float_to_half(0x1.FFFFFEp-15F), 0x0400);  // rounds up into the normal range
  EXPECT_EQ(float_to_half(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::nanf("")))));
}

}  // namespace
}  // namespace assay
