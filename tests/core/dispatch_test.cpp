#include "core/dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "assay/types.h"
#include "support.h"

namespace assay {
namespace {

template <typename T>
T scaled_sum(const T* values, Index count, T factor, T& largest) {
  T sum{0};
  for (Index i = 0; i < count; ++i) {
    sum += factor * values[i];
    largest = std::max(largest, values[i]);
  }
  return sum;
}

// Whole numbers: every level gives the same digits.
TEST(Dispatch, RunsTheLoopOfThisProcessor) {
  std::vector<float> values;
  for (int i = 1; i <= 1000; ++i) values.push_back(static_cast<float>(i));
  float largest = 0.0F;
  const float sum =
      for_this_processor<scaled_sum<float>>(values.data(), Index{1000}, 2.0F, largest);
  EXPECT_EQ(sum, 1001000.0F);
  EXPECT_EQ(largest, 1000.0F);  // references reach the loop
}

TEST(Dispatch, KnowsItsLevelsByName) {
  EXPECT_EQ(name_of(VectorLevel::baseline), "baseline");
  EXPECT_EQ(name_of(VectorLevel::v3), "v3");
  EXPECT_EQ(name_of(VectorLevel::v4), "v4");
  EXPECT_LE(vector_level(), highest_vector_level());
}

// Each in a process of its own: the level is chosen once.
TEST(DispatchDeathTest, ObeysTheEnvironmentOrSaysWhyNot) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto level_under = [](const char* asked) {
    ::setenv("ASSAY_VECTOR_LEVEL", asked, 1);
    try {
      std::fprintf(stderr, "level %s\n", std::string(name_of(vector_level())).c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::exit(7);
  };
  EXPECT_EXIT(level_under("baseline"), testing::ExitedWithCode(7), "level baseline");
  EXPECT_EXIT(level_under("v9"), testing::ExitedWithCode(7), "expected baseline, v3 or v4");
  if (highest_vector_level() < VectorLevel::v4) {
    EXPECT_EXIT(level_under("v4"), testing::ExitedWithCode(7), "at most; unset it");
  }
}

}  // namespace
}  // namespace assay
