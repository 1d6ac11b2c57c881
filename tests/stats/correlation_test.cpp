// Tests: stats/jackknife.
#include "assay/correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/error.h"
#include "core/random.h"

namespace assay {
namespace {

using Numbers = std::vector<double>;
using Coefficient = std::optional<double> (*)(std::span<const double>, std::span<const double>);

nlohmann::json golden(const std::string& file) {
  std::ifstream in(std::filesystem::path(ASSAY_TEST_DATA) / "golden" / file);
  return nlohmann::json::parse(in);
}

Numbers distinct_values(Random& random, Index count) {
  Numbers values;
  for (Index i = 0; i < count; ++i) values.push_back(random.normal());
  return values;
}

// Few levels, so that ties on one side and on both are everywhere.
Numbers tied_values(Random& random, Index count) {
  Numbers values;
  for (Index i = 0; i < count; ++i) values.push_back(static_cast<double>(random.below(5)));
  return values;
}

Numbers mapped(const Numbers& values, double (*map)(double)) {
  Numbers result;
  for (const double v : values) result.push_back(map(v));
  return result;
}

TEST(Correlation, AgreesWithScipyOnEveryGoldenCaseTiesIncluded) {
  const nlohmann::json cases = golden("rankcorr.json");
  ASSERT_EQ(cases.size(), 26U);
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c["tag"].get<std::string>());
    const Numbers x = c["x"];
    const Numbers y = c["y"];
    EXPECT_NEAR(weighted_kendall_tau(x, y).value(), c["weightedtau"].get<double>(), 1e-12);
    EXPECT_NEAR(kendall_tau(x, y).value(), c["kendall_a"].get<double>(), 1e-12);
    EXPECT_NEAR(pearson(x, y).value(), c["pearson"].get<double>(), 1e-12);
    EXPECT_NEAR(spearman(x, y).value(), c["spearman"].get<double>(), 1e-12);
  }
}

TEST(WeightedKendall, AgreesWithScipyOnThePrintedTablesOfTheLogmePaper) {
  const nlohmann::json rows = golden("paper_tables.json");
  ASSERT_EQ(rows.size(), 47U);
  int reproduced = 0;
  for (const nlohmann::json& row : rows) {
    SCOPED_TRACE(row["task"].get<std::string>() + " " + row["method"].get<std::string>());
    const Numbers truth = row["T"];
    const Numbers scores = row["S"];
    const double tau = weighted_kendall_tau(truth, scores).value();
    EXPECT_NEAR(tau, row["scipy_weightedtau"].get<double>(), 1e-12);
    const bool as_printed = std::abs(tau - row["printed"].get<double>()) <= 0.005 + 1e-9;
    EXPECT_EQ(as_printed, row["reproduces"].get<bool>());
    if (as_printed) ++reproduced;
  }
  EXPECT_EQ(reproduced, 44);
}

TEST(Kendall, CountsPairsByHand) {
  // Of six pairs five agree and one is reversed: (5 - 1) / 6.
  EXPECT_DOUBLE_EQ(kendall_tau(Numbers{4, 3, 2, 1}, Numbers{3, 4, 2, 1}).value(), 4.0 / 6.0);
  // A tie on either side adds nothing and still counts as a pair: (2 + 0) / 3.
  EXPECT_DOUBLE_EQ(kendall_tau(Numbers{1, 2, 2}, Numbers{1, 2, 3}).value(), 2.0 / 3.0);
}

TEST(WeightedKendall, WeighsAMistakeByTheRanksOfThePair) {
  // Weights 1, 1/2, 1/3, 1/4: all pairs together 3 * 25/12 = 6.25. Reversing the two
  // best costs twice 1 + 1/2, reversing the two worst twice 1/3 + 1/4.
  EXPECT_NEAR(weighted_kendall_tau(Numbers{4, 3, 2, 1}, Numbers{3, 4, 2, 1}).value(),
              (6.25 - 2 * 1.5) / 6.25, 1e-15);
  EXPECT_NEAR(weighted_kendall_tau(Numbers{4, 3, 2, 1}, Numbers{4, 3, 1, 2}).value(),
              (6.25 - 2 * 7.0 / 12.0) / 6.25, 1e-15);
}

TEST(WeightedKendall, LeavesTiedPairsOutOfTheDenominator) {
  // x ties the last two. Ranked by x (tie by y): weights 1/3, 1/2, 1. Pairs (1,2) and
  // (1,3) agree with weights 5/6 and 4/3; (2,3) weighs 3/2 on y's side only. Ranked by
  // y the order is the same, so tau = s / sqrt(s (s + 3/2)), s = 13/6.
  const double s = 13.0 / 6.0;
  EXPECT_NEAR(weighted_kendall_tau(Numbers{1, 2, 2}, Numbers{1, 2, 3}).value(),
              s / std::sqrt(s * (s + 1.5)), 1e-15);
}

TEST(Spearman, SharesTheMeanRankAmongTies) {
  // Ranks 0, 1.5, 1.5 against 0, 1, 2: deviations (-1, .5, .5), (-1, 0, 1): 1.5 / sqrt(1.5 * 2).
  EXPECT_NEAR(spearman(Numbers{1, 2, 2}, Numbers{1, 2, 3}).value(), 1.5 / std::sqrt(3.0), 1e-15);
}

class EveryCoefficient : public testing::TestWithParam<Coefficient> {};

TEST_P(EveryCoefficient, IsSymmetric) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    const Numbers x = tied_values(random, 12);
    const Numbers y = tied_values(random, 12);
    EXPECT_NEAR(GetParam()(x, y).value(), GetParam()(y, x).value(), 1e-15);
  }
}

TEST_P(EveryCoefficient, IgnoresTheOrderOfTheModels) {
  Random random(2);
  for (int round = 0; round < 50; ++round) {
    const Numbers x = round % 2 == 0 ? distinct_values(random, 15) : tied_values(random, 15);
    const Numbers y = round % 2 == 0 ? distinct_values(random, 15) : tied_values(random, 15);
    Numbers permuted_x;
    Numbers permuted_y;
    for (const Index i : random.permutation(15)) {
      permuted_x.push_back(x[static_cast<std::size_t>(i)]);
      permuted_y.push_back(y[static_cast<std::size_t>(i)]);
    }
    EXPECT_NEAR(GetParam()(x, y).value(), GetParam()(permuted_x, permuted_y).value(), 1e-13);
  }
}

TEST_P(EveryCoefficient, IsOneForEqualColumnsAndMinusOneForOppositeOnes) {
  Random random(3);
  const Numbers x = distinct_values(random, 30);
  const Numbers opposite = mapped(x, [](double v) { return -v; });
  EXPECT_NEAR(GetParam()(x, x).value(), 1.0, 1e-14);
  EXPECT_NEAR(GetParam()(x, opposite).value(), -1.0, 1e-14);
  EXPECT_LE(std::abs(GetParam()(x, x).value()), 1.0);
}

TEST_P(EveryCoefficient, DoesNotExistForTooFewConstantOrNanValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(GetParam()(Numbers{}, Numbers{}), std::nullopt);
  EXPECT_EQ(GetParam()(Numbers{1}, Numbers{2}), std::nullopt);
  EXPECT_EQ(GetParam()(Numbers{0.1, 0.1, 0.1}, Numbers{1, 2, 3}), std::nullopt);
  EXPECT_EQ(GetParam()(Numbers{1, 2, 3}, Numbers{0.1, 0.1, 0.1}), std::nullopt);
  EXPECT_EQ(GetParam()(Numbers{0.0, -0.0}, Numbers{1, 2}), std::nullopt);
  EXPECT_EQ(GetParam()(Numbers{1, nan, 3}, Numbers{1, 2, 3}), std::nullopt);
  EXPECT_EQ(GetParam()(Numbers{1, 2, 3}, Numbers{nan, nan, nan}), std::nullopt);
}

TEST_P(EveryCoefficient, RefusesColumnsOfDifferentLength) {
  EXPECT_THROW(GetParam()(Numbers{1, 2, 3}, Numbers{1, 2}), Error);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCoefficient,
                         testing::Values(&kendall_tau, &weighted_kendall_tau, &pearson, &spearman));

class EveryRankCoefficient : public testing::TestWithParam<Coefficient> {};

TEST_P(EveryRankCoefficient, IgnoresIncreasingMapsOfEitherSide) {
  Random random(4);
  for (int round = 0; round < 20; ++round) {
    const Numbers x = distinct_values(random, 20);
    const Numbers y = tied_values(random, 20);
    const double before = GetParam()(x, y).value();
    EXPECT_EQ(GetParam()(mapped(x, [](double v) { return std::exp(3 * v); }), y), before);
    EXPECT_EQ(GetParam()(x, mapped(y, [](double v) { return v * v * v - 40; })), before);
  }
}

TEST_P(EveryRankCoefficient, AcceptsInfiniteScores) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(GetParam()(Numbers{-infinity, 0, infinity}, Numbers{1, 2, 3}).value(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryRankCoefficient,
                         testing::Values(&kendall_tau, &weighted_kendall_tau, &spearman));

TEST(Correlation, ChangesSignWithOneSide) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const Numbers x = tied_values(random, 14);
    const Numbers y = tied_values(random, 14);
    const Numbers minus_y = mapped(y, [](double v) { return -v; });
    for (const Coefficient coefficient : {&kendall_tau, &pearson, &spearman}) {
      EXPECT_NEAR(coefficient(x, minus_y).value(), -coefficient(x, y).value(), 1e-14);
    }
  }
}

// The weights sit at the high end, so turning both sides round is another question.
TEST(WeightedKendall, DependsOnWhichEndIsBetter) {
  const Numbers x{4, 3, 2, 1};
  const Numbers y{3, 4, 2, 1};
  const auto negated = [](double v) { return -v; };
  EXPECT_GT(weighted_kendall_tau(mapped(x, negated), mapped(y, negated)).value(),
            weighted_kendall_tau(x, y).value() + 0.2);
}

TEST(Pearson, SurvivesHugeTinyAndShiftedValues) {
  const Numbers y{1, 3, 2, 5};
  const double expected = pearson(Numbers{1, 2, 3, 4}, y).value();
  EXPECT_NEAR(pearson(Numbers{0.4e308, 0.8e308, 1.2e308, 1.6e308}, y).value(), expected, 1e-14);
  EXPECT_NEAR(pearson(Numbers{1e-320, 2e-320, 3e-320, 4e-320}, y).value(), expected, 1e-3);
  EXPECT_NEAR(pearson(Numbers{1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}, y).value(), expected, 1e-14);
  EXPECT_EQ(pearson(Numbers{1, std::numeric_limits<double>::infinity(), 2, 3}, y), std::nullopt);
  // Neighbouring doubles are not a constant column.
  EXPECT_NEAR(pearson(Numbers{1.0, std::nextafter(1.0, 2.0)}, Numbers{1, 2}).value(), 1.0, 1e-14);
}

}  // namespace
}  // namespace assay
