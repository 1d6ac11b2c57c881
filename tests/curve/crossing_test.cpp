#include "curve/crossing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "curve/certify.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::ElementsAreArray;

json golden() { return json::parse(std::ifstream(test::golden("curve/measures.json"))); }

std::vector<CurvePoint> points_at(const std::vector<Index>& sizes,
                                  const std::function<double(double)>& loss) {
  std::vector<CurvePoint> points;
  for (const Index n : sizes)
    points.push_back({.n = n, .loss = loss(static_cast<double>(n)), .seeds = 1});
  return points;
}

// Values by hand: 1 and 3 pool to 2, then 2 and 4 (weights 2 and 1) to 8/3, with 5 before it.
TEST(NonIncreasingFit, PoolsWhatRises) {
  const std::vector<double> ones(4, 1.0);
  const std::vector<double> values = {5, 1, 3, 4};
  EXPECT_THAT(non_increasing_fit(values, ones), ElementsAre(5, 8.0 / 3, 8.0 / 3, 8.0 / 3));
  const std::vector<double> falling = {4, 3, 3, 1};
  EXPECT_EQ(non_increasing_fit(falling, ones), falling);
  const std::vector<double> weights = {1, 3, 1, 1};
  EXPECT_THAT(non_increasing_fit(std::vector<double>{5, 1, 3, 0}, weights),
              ElementsAre(5, 1.5, 1.5, 0));
}

// Log-linear crossings from an independent program; curves that never rise, so no fit is involved.
TEST(Crossing, InterpolatesInTheLogarithmOfSize) {
  const json all = golden();
  for (const auto& [name, entry] : all["curves"].items()) {
    if (name == "nonmono") continue;
    std::vector<CurvePoint> points;
    for (std::size_t k = 0; k < entry["n"].size(); ++k)
      points.push_back({.n = entry["n"][k], .loss = entry["mean_loss"][k], .seeds = 1});
    for (const auto& [epsilon, expected] : entry["at_end"].items()) {
      const std::optional<double> crossing = crossing_of(points, std::stod(epsilon));
      ASSERT_EQ(crossing.has_value(), !expected["crossing"].is_null()) << name << epsilon;
      if (crossing) {
        EXPECT_NEAR(*crossing, expected["crossing"].get<double>(), 1e-10 * *crossing);
      }
    }
  }
}

// The dip to 0.6 at 30 rows is pooled with the 0.9 after it: 0.7 is not reached before 0.4 pools
// with 0.55.
TEST(Crossing, IsNotTakenInByADip) {
  const std::vector<CurvePoint> points = {{.n = 10, .loss = 2.0, .seeds = 1},
                                          {.n = 30, .loss = 0.6, .seeds = 1},
                                          {.n = 100, .loss = 0.9, .seeds = 1},
                                          {.n = 300, .loss = 0.4, .seeds = 1}};
  const std::optional<Bracket> bracket = bracket_of(points, 0.7);
  ASSERT_TRUE(bracket.has_value());
  EXPECT_EQ(bracket->low, 100);
  EXPECT_EQ(bracket->high, 300);
  EXPECT_FALSE(bracket_of(points, 0.1).has_value());
}

// 2.3 exp(-n / 150) falls to 0.5 at 228.9 rows.
TEST(Refine, FindsTheSmallestSize) {
  const auto loss = [](double n) { return 2.3 * std::exp(-n / 150.0); };
  const std::vector<Index> first = {10, 18, 32, 57, 101, 180, 319, 568, 1011, 1800};
  std::vector<Index> sizes = first;
  int rounds = 0;
  const auto measure = [&](std::span<const Index> more) {
    ++rounds;
    sizes.insert(sizes.end(), more.begin(), more.end());
    std::ranges::sort(sizes);
    return points_at(sizes, loss);
  };
  const std::optional<Bracket> bracket = refine_bracket(points_at(first, loss), 0.5, 9, measure);
  ASSERT_TRUE(bracket.has_value());
  EXPECT_LT(bracket->low, 228.9);
  EXPECT_GE(bracket->high, 228.9);
  EXPECT_LE(bracket->high - bracket->low, 3);
  EXPECT_EQ(rounds, 2);
  EXPECT_FALSE(refine_bracket(points_at(first, loss), 1e-9, 9, measure).has_value());
  EXPECT_EQ(rounds, 2);
}

TEST(Certify, HasTheSampleSizesOfTheTheorems) {
  const json appendix = golden()["appendix"];
  EXPECT_NEAR(surplus_radius(1000, 10000, 0.05),
              appendix["alg1_radius_M1000_K10000_d05"].get<double>(), 1e-11);
  EXPECT_EQ(surplus_blocks(0.2, 0.05),
            std::ceil(appendix["alg1_K_correct_eps02_d05"].get<double>()));
  EXPECT_EQ(complexity_blocks(0.2, 0.05, 5),
            std::ceil(appendix["alg2_S_k5_eps02_d05"].get<double>()));
}

TEST(Certify, CountsBlocksWithoutOverflow) {
  EXPECT_EQ(surplus_blocks(1e-200, 0.05), Index{4'000'000'000});
  EXPECT_EQ(complexity_blocks(1e-9, 1e-300, 5), Index{4'000'000'000});
}

TEST(Certify, WalksThroughAlgorithmTwo) {
  const json expected = golden()["appendix"]["alg2"];
  const auto loss = [](Index n) {
    return std::min(1.0, 0.9 * std::exp(-static_cast<double>(n) / 400.0) + 0.01);
  };
  const ComplexityCertificate found = certify_complexity(loss, 0.2, 10000, 5);
  EXPECT_TRUE(found.reached);
  EXPECT_EQ(found.rows, expected["mhat"].get<Index>());
  EXPECT_THAT(found.visited, ElementsAreArray(expected["visited"].get<std::vector<Index>>()));
  EXPECT_FALSE(certify_complexity(loss, 0.01, 10000, 5).reached);
  EXPECT_EQ(certify_complexity(loss, 0.01, 10000, 5).rows, 10000);
}

// Losses of 0 and 1 with mean 0.9 exp(-n / 8) + 0.01, drawn anew for every certificate; the exact
// surplus and the mean at the rows found are known. Hoeffding is generous, so failures stay far
// below delta.
TEST(Certify, HoldsWithItsConfidence) {
  constexpr double epsilon = 0.5;
  constexpr double delta = 0.2;
  constexpr Index most = 40;
  constexpr int trials = 300;
  const auto mean = [](Index n) { return 0.9 * std::exp(-static_cast<double>(n) / 8.0) + 0.01; };
  double exact = 0.0;
  for (Index n = 1; n <= most; ++n) exact += std::max(0.0, mean(n) - epsilon);
  const Index blocks = complexity_blocks(epsilon, delta, 2);
  Random random(11);
  int too_few = 0;
  int outside = 0;
  int reached = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> losses;
    for (Index n = 1; n <= most; ++n) {
      double sum = 0.0;
      for (Index k = 0; k < blocks; ++k) sum += random.uniform() < mean(n) ? 1.0 : 0.0;
      losses.push_back(sum / static_cast<double>(blocks));
    }
    const MeanLoss loss = [&](Index n) { return losses[static_cast<std::size_t>(n - 1)]; };
    const ComplexityCertificate found = certify_complexity(loss, epsilon, most, 2);
    reached += found.reached ? 1 : 0;
    too_few += found.reached && mean(found.rows) > epsilon ? 1 : 0;
    const double surplus = certify_surplus(loss, epsilon, most).value;
    outside += std::abs(surplus - exact) > surplus_radius(most, blocks, delta) ? 1 : 0;
  }
  EXPECT_EQ(reached, trials);
  EXPECT_LE(too_few, delta * trials);
  EXPECT_LE(outside, delta * trials);
}

TEST(Certify, SumsTheSurplusOfAlgorithmOne) {
  const auto loss = [](Index n) {
    return std::min(1.0, 0.9 * std::exp(-static_cast<double>(n) / 400.0) + 0.01);
  };
  const SurplusCertificate found = certify_surplus(loss, 0.2, 10000);
  EXPECT_NEAR(found.value, golden()["appendix"]["alg1_sdl_exact_sum"]["sdl"].get<double>(), 1e-9);
  EXPECT_TRUE(found.tight);
  EXPECT_FALSE(certify_surplus(loss, 0.2, 900).tight);  // L_900 = 0.105 > 0.1
}

}  // namespace
}  // namespace assay
