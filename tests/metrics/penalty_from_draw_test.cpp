#include "metrics/penalty_from_draw.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace assay {
namespace {

// Squares and shares of a population under three settings, the errors of the middle one being
// smaller by `advantage`.
struct Population {
  Matrix squares;
  Matrix shares;
};

Population population(Index count, double advantage, std::uint64_t seed) {
  Population out{test::gaussian(3, count, seed).cwiseAbs2(), test::gaussian(3, count, seed + 1)};
  for (Index k = 1; k < 3; ++k) out.squares.row(k) = out.squares.row(0);
  out.shares = (0.8 + 0.02 * out.shares.array()).matrix();
  out.squares.row(1) *= 1.0 - advantage;
  return out;
}

double error_of(const Population& all, Index setting) {
  return (all.squares.row(setting).array() / all.shares.row(setting).array().square()).sum();
}

std::optional<DrawnPenalty> choice_of_first(const Population& all, Index drawn) {
  return penalty_from_draw(all.squares.leftCols(drawn), all.shares.leftCols(drawn),
                           all.squares.rowwise().sum(), all.squares.cols());
}

TEST(DrawnPenalty, IsTheSettingAheadAndEstimatesItsError) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Population all = population(10000, 0.1, 10 * seed);
    const std::optional<DrawnPenalty> choice = choice_of_first(all, 500);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->setting, 1);
    EXPECT_LT(std::abs(choice->error - error_of(all, 1)), 5.0 * choice->deviation);
    EXPECT_TRUE(choice->consistent_with(error_of(all, 1)));
    EXPECT_FALSE(choice->consistent_with(1.1 * error_of(all, 1)));
  }
}

// Drawing again and again, the estimate spreads by the deviation that is given for it.
TEST(DrawnPenalty, KnowsItsDeviation) {
  double squares = 0.0;
  constexpr int draws = 400;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Population all = population(2000, 0.1, 10 * seed);
    const std::optional<DrawnPenalty> choice = choice_of_first(all, 500);
    ASSERT_TRUE(choice);
    squares += std::pow((choice->error - error_of(all, 1)) / choice->deviation, 2);
  }
  EXPECT_NEAR(squares / draws, 1.0, 0.25);  // about 3.5 standard errors of this mean
}

TEST(DrawnPenalty, IsNoneWhenSettingsAreTooCloseToTell) {
  EXPECT_FALSE(choice_of_first(population(10000, 0.0, 1), 500));
  // Ahead by 0.2 %, where the shares alone spread the difference by 0.5 % a sample, or 0.3 %.
  EXPECT_FALSE(choice_of_first(population(10000, 0.002, 2), 500));
  Population same = population(1000, 0.0, 3);
  same.shares.setConstant(0.5);  // no spread at all, and no difference
  EXPECT_FALSE(choice_of_first(same, 500));
}

TEST(DrawnPenalty, IsNoneWhenAFewSamplesDecide) {
  Population all = population(10000, 0.1, 4);
  all.shares(0, 7) = 0.01;  // one sample outweighs thousands under the other two
  all.shares(2, 9) = 0.01;
  EXPECT_FALSE(choice_of_first(all, 500));
}

// A rare class holds all the error there is, and the draw none of it.
TEST(DrawnPenalty, IsNoneWhenTheDrawIsUnlikeTheRest) {
  Population all = population(10000, 0.1, 6);
  all.squares.leftCols(9995) *= 1e-6;
  EXPECT_FALSE(choice_of_first(all, 500));
}

// Or it holds one sample of it, whose own ratio is then all there is.
TEST(DrawnPenalty, IsNoneWhenOneSampleIsAllTheError) {
  Population all = population(10000, 0.1, 7);
  all.squares.middleCols(1, 9994) *= 1e-6;
  EXPECT_FALSE(choice_of_first(all, 500));
}

TEST(DrawnPenalty, IsNoneWithoutAnyError) {
  Population all = population(1000, 0.1, 5);
  all.squares.setZero();
  EXPECT_FALSE(choice_of_first(all, 500));
}

}  // namespace
}  // namespace assay
