#include "rank/balance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace assay {
namespace {

// Medians 3 and 30; distances 2 1 0 1 97 with median 1, and 20 10 0 10 20 with median 10.
TEST(Balance, IsTheRatioOfMedianDeviations) {
  const std::array first = {1.0, 2.0, 3.0, 4.0, 100.0};
  const std::array second = {10.0, 20.0, 30.0, 40.0, 50.0};
  EXPECT_DOUBLE_EQ(*balance_of(first, second), 0.1);
  EXPECT_DOUBLE_EQ(*balance_of(second, first), 10.0);
}

TEST(Balance, OfAnEvenNumberTakesTheMiddleOfTwo) {
  const std::array first = {0.0, 1.0, 2.0, 5.0};   // median 1.5, distances 1.5 0.5 0.5 3.5: 1
  const std::array second = {0.0, 2.0, 4.0, 6.0};  // median 3, distances 3 1 1 3: 2
  EXPECT_DOUBLE_EQ(*balance_of(first, second), 0.5);
}

TEST(Balance, OfAPartThatDoesNotVaryIsInfiniteOrNone) {
  const std::array varies = {0.0, 1.0, 2.0, 5.0};
  const std::array same = {7.0, 7.0, 7.0, 7.0};
  EXPECT_TRUE(std::isinf(*balance_of(varies, same)));
  EXPECT_EQ(*balance_of(same, varies), 0.0);
  EXPECT_FALSE(balance_of(same, same));
}

TEST(Balance, NeedsFourModels) {
  const std::array three = {0.0, 1.0, 5.0};
  EXPECT_FALSE(balance_of(three, three));
}

TEST(Balance, IsGoodNearOne) {
  for (const double ratio : {0.4, 1.0, 3.0}) EXPECT_TRUE(is_balanced(ratio)) << ratio;
  for (const double ratio : {0.0, 0.1, 0.3, 3.3, 10.0, 1e300 * 1e300})
    EXPECT_FALSE(is_balanced(ratio)) << ratio;
}

}  // namespace
}  // namespace assay
