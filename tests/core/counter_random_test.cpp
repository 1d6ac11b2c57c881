#include "core/counter_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace assay {
namespace {

using Bits = std::array<std::uint32_t, 4>;

// Known answers published with the authors' Random123 library (kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Bits{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Bits{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Bits{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::vector<double> row(std::uint64_t seed, std::uint32_t stream, Index number, std::size_t size) {
  std::vector<double> out(size);
  normal_row(seed, stream, number, std::span(out));
  return out;
}

TEST(NormalRow, DependsOnItsPlaceAlone) {
  const std::vector<double> whole = row(7, 0, 123, 100);
  std::vector<double> start = row(7, 0, 123, 33);
  EXPECT_TRUE(std::equal(start.begin(), start.end(), whole.begin()));
  EXPECT_NE(whole, row(8, 0, 123, 100));
  EXPECT_NE(whole, row(7 + (std::uint64_t{1} << 32), 0, 123, 100));
  EXPECT_NE(whole, row(7, 1, 123, 100));
  EXPECT_NE(whole, row(7, 0, 124, 100));
  EXPECT_NE(whole, row(7, 0, 123 + (Index{1} << 32), 100));
  std::vector<float> single(100);
  normal_row(7, 0, 123, std::span(single));
  for (std::size_t i = 0; i < single.size(); ++i)
    EXPECT_EQ(single[i], static_cast<float>(whole[i]));
}

TEST(NormalRow, IsStandardNormal) {
  std::vector<double> all;
  for (Index i = 0; i < 2000; ++i) {
    const std::vector<double> part = row(1, 0, i, 101);
    all.insert(all.end(), part.begin(), part.end());
  }
  const auto n = static_cast<double>(all.size());
  // Kolmogorov and Smirnov: sqrt(n) D exceeds 1.95 once in a thousand tables.
  std::sort(all.begin(), all.end());
  double distance = 0.0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double below = 0.5 * std::erfc(-all[i] / std::numbers::sqrt2);
    distance = std::max({distance, std::abs(below - static_cast<double>(i) / n),
                         std::abs(below - static_cast<double>(i + 1) / n)});
  }
  EXPECT_LT(std::sqrt(n) * distance, 1.95);
}

TEST(NormalRow, HasUncorrelatedNeighbours) {
  double along = 0.0;
  double across = 0.0;
  double streams = 0.0;
  constexpr Index rows = 1000;
  constexpr std::size_t columns = 100;
  for (Index i = 0; i < rows; ++i) {
    const std::vector<double> a = row(3, 0, i, columns);
    const std::vector<double> b = row(3, 0, i + 1, columns);
    const std::vector<double> c = row(3, 1, i, columns);
    for (std::size_t j = 0; j + 1 < columns; ++j) {
      along += a[j] * a[j + 1];
      across += a[j] * b[j];
      streams += a[j] * c[j];
    }
  }
  const double sd = std::sqrt(static_cast<double>(rows * (columns - 1)));
  EXPECT_LT(std::abs(along), 4.0 * sd);
  EXPECT_LT(std::abs(across), 4.0 * sd);
  EXPECT_LT(std::abs(streams), 4.0 * sd);
}

}  // namespace
}  // namespace assay
