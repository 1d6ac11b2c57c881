#include "core/random.h"

#include <gtest/gtest.h>

#include <set>

namespace assay {
namespace {

// SplitMix64 by its own reference: the first outputs for the seed 1234567.
TEST(MixedSeed, IsSplitMix64) {
  EXPECT_EQ(mixed_seed(1234567, 0), 6457827717110365317ULL);
  EXPECT_EQ(mixed_seed(1234567, 1), 3203168211198807973ULL);
  EXPECT_EQ(mixed_seed(1234567, 2), 9817491932198370423ULL);
}

TEST(MixedSeed, DiffersBetweenUsesAndNumbers) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t use = 0; use < 20; ++use)
    for (std::uint64_t number = 0; number < 20; ++number) seen.insert(mixed_seed(7, use, number));
  EXPECT_EQ(seen.size(), 400U);
}

}  // namespace
}  // namespace assay
