#include "rank/contributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "metrics/leave_out_evidence.h"
#include "metrics/row_interactions.h"
#include "support.h"

namespace assay {
namespace {

constexpr double kLeftOut = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kAdded = {1.0, 0.25, 3.0, -2.0, 0.5, 7.0};

// What intervals are made of: the squared standard error.
double squares(const std::vector<double>& contributions) {
  return std::inner_product(contributions.begin(), contributions.end(), contributions.begin(), 0.0);
}

double sample_variance(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / (n - 1.0);
}

Targets numbers(Index rows) { return test::value_targets(Matrix::Random(rows, 1)); }

TEST(UnitContributions, OfNumbersGiveTheErrorOfAMean) {  // s^2 / n
  EXPECT_NEAR(squares(unit_contributions(kAdded, numbers(6), {})), sample_variance(kAdded) / 6.0,
              1e-15);
}

TEST(UnitContributions, OfClassesGiveTheErrorOfAMeanWithGivenCounts) {  // sum n_k s_k^2 / n^2
  const Targets targets = test::class_targets({0, 0, 0, 0, 1, 1});
  const double expected =
      (4.0 * sample_variance({1.0, 0.25, 3.0, -2.0}) + 2.0 * sample_variance({0.5, 7.0})) / 36.0;
  EXPECT_NEAR(squares(unit_contributions(kAdded, targets, {})), expected, 1e-15);
}

TEST(UnitContributions, ClassesOfOneRowAreTakenTogether) {
  const Targets targets = test::class_targets({0, 0, 0, 0, 1, 2});
  const double expected =
      (4.0 * sample_variance({1.0, 0.25, 3.0, -2.0}) + 2.0 * sample_variance({0.5, 7.0})) / 36.0;
  EXPECT_NEAR(squares(unit_contributions(kAdded, targets, {})), expected, 1e-15);
}

// How it varies is not known, but not at all is wrong.
TEST(UnitContributions, TheOnlyClassOfOneRowIsTakenAboutTheMeanOfAll) {
  const Targets targets = test::class_targets({0, 0, 0, 0, 0, 1});
  const std::vector<double> out = unit_contributions(kAdded, targets, {});
  const double mean = (1.0 + 0.25 + 3.0 - 2.0 + 0.5 + 7.0) / 6.0;
  EXPECT_NEAR(out[5], (7.0 - mean) / 6.0, 1e-15);
  const double expected = 5.0 * sample_variance({1.0, 0.25, 3.0, -2.0, 0.5}) / 36.0;
  EXPECT_NEAR(squares(out) - out[5] * out[5], expected, 1e-15);
}

TEST(UnitContributions, RowsLeftOutCountForNothing) {
  std::vector<double> with = kAdded;
  with.insert(with.begin() + 2, kLeftOut);
  const std::vector<double> out = unit_contributions(with, numbers(7), {});
  EXPECT_EQ(out[2], 0.0);
  EXPECT_NEAR(squares(out), sample_variance(kAdded) / 6.0, 1e-15);
  EXPECT_TRUE(
      unit_contributions(std::vector<double>{kLeftOut, 1.0, kLeftOut}, numbers(3), {}).empty());
}

// Sums 1.25, 1 and 7.5 of groups of two rows; the mean of all rows is 9.75 / 6 = 1.625, so groups
// stand out by -2, -2.25 and 4.25: (4 + 5.0625 + 18.0625) * 3/2 / 36.
TEST(UnitContributions, OfGroupsAreThoseOfTheirSums) {
  const std::vector<Label> groups = {0, 0, 1, 1, 2, 2};
  const std::vector<double> out =
      unit_contributions(kAdded, test::class_targets({0, 1, 0, 1, 0, 1}), groups);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_NEAR(squares(out), 27.125 * 1.5 / 36.0, 1e-15);
  EXPECT_NEAR(std::accumulate(out.begin(), out.end(), 0.0), 0.0, 1e-15);
  const std::vector<double> blocks = {1.25, 1.0, 7.5};
  EXPECT_EQ(unit_contributions(blocks, numbers(6), groups), out);
}

TEST(UnitContributions, AGroupPerRowIsNoGrouping) {
  const std::vector<Label> groups = {3, 0, 5, 1, 4, 2};
  EXPECT_NEAR(squares(unit_contributions(kAdded, numbers(6), groups)),
              squares(unit_contributions(kAdded, numbers(6), {})), 1e-15);
}

// Each row three times says no more than once, and intervals know that only from the groups.
TEST(UnitContributions, CopiesInOneGroupAddNoKnowledge) {
  std::vector<double> thrice;
  std::vector<Label> groups;
  for (std::size_t i = 0; i < 3 * kAdded.size(); ++i) {
    thrice.push_back(kAdded[i / 3]);
    groups.push_back(static_cast<Label>(i / 3));
  }
  EXPECT_NEAR(squares(unit_contributions(thrice, numbers(18), groups)),
              sample_variance(kAdded) / 6.0, 1e-15);
  EXPECT_LT(squares(unit_contributions(thrice, numbers(18), {})), sample_variance(kAdded) / 17.0);
}

TEST(PairContributions, AreScaledFromThePairsDrawnToAllOfThem) {
  constexpr Index rows = 9;
  const std::size_t drawn = sampled_pairs(rows).size();
  std::vector<double> added(drawn);
  for (std::size_t i = 0; i < drawn; ++i) added[i] = std::sin(static_cast<double>(i));
  // All 36 pairs as these: their number times the variance, over n^2.
  EXPECT_NEAR(squares(pair_contributions(added, numbers(rows))),
              36.0 * sample_variance(added) / (rows * rows), 1e-12);
  added.pop_back();
  EXPECT_TRUE(pair_contributions(added, numbers(rows)).empty());
}

TEST(ContributionsOf, FoldsGiveTheJackknife) {
  MetricScore score;
  score.score.value = 2.0;
  score.replicates = {1.5, 2.5, 2.25, 1.75};
  // (g - 1) / g sum (theta - mean)^2 = 3/4 (0.25 + 0.25 + 0.0625 + 0.0625)
  EXPECT_NEAR(squares(contributions_of(score).units), 0.75 * 0.625, 1e-15);
  score.contributions = {1.0, 2.0};
  EXPECT_EQ(contributions_of(score).units, score.contributions);
}

// The variance they stand for stays: sqrt(2 / 4096) = 2 % is one deviation.
TEST(BlockContributions, KeepTheSumAndTheVariance) {
  const Vector values = test::gaussian(200000, 1, 5).col(0);
  const std::vector<double> units(values.begin(), values.end());
  EXPECT_EQ(block_contributions(units, 200000), units);
  const std::vector<double> blocks = block_contributions(units, 4096);
  ASSERT_EQ(blocks.size(), 4096U);
  const Eigen::Map<const Vector> sums(blocks.data(), 4096);
  EXPECT_NEAR(sums.sum(), values.sum(), 1e-9);
  EXPECT_NEAR(sums.squaredNorm() / values.squaredNorm(), 1.0, 0.1);
}

}  // namespace
}  // namespace assay
