// Tests: rank/contributions, rank/place_models, rank/resampled_ranks.
#include "rank/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "stats/jackknife.h"
#include "stats/joint_spread.h"

namespace assay {
namespace {

TEST(Jackknife, OfAMeanIsItsClassicalStandardError) {
  // Replicates of a mean of 20 values, one left out at a time: se = s / sqrt(20) exactly.
  Random random(1);
  std::vector<double> x(20);
  double sum = 0.0;
  for (double& value : x) sum += value = random.normal();
  std::vector<double> replicates;
  double squares = 0.0;
  for (const double value : x) {
    replicates.push_back((sum - value) / 19.0);
    squares += (value - sum / 20.0) * (value - sum / 20.0);
  }
  EXPECT_NEAR(jackknife_standard_error(sum / 20.0, replicates), std::sqrt(squares / 19.0 / 20.0),
              1e-14);
  // A mean has no curvature: the correction finds none.
  std::vector<double> pairs;
  for (std::size_t k = 0; k < 10; ++k) pairs.push_back((sum - x[2 * k] - x[2 * k + 1]) / 18.0);
  EXPECT_NEAR(jackknife_standard_error(sum / 20.0, replicates, pairs),
              std::sqrt(squares / 19.0 / 20.0), 1e-14);
}

// The product of every two of 20 independent values, averaged: all of its variance, 2 / (20 * 19),
// is of second order. The jackknife doubles it, the full correction would take that back, ours
// takes a quarter of it.
TEST(Jackknife, CorrectionTakesAQuarterOfTheSecondOrder) {
  Random random(7);
  double plain = 0.0;
  double corrected = 0.0;
  constexpr int kDraws = 4000;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> x(20);
    for (double& value : x) value = random.normal();
    const auto products = [&](std::size_t i, std::size_t j) {  // mean without values i and j
      double sum = 0.0;
      double square = 0.0;
      double n = 0.0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        if (k == i || k == j) continue;
        sum += x[k];
        square += x[k] * x[k];
        n += 1.0;
      }
      return (sum * sum - square) / (n * (n - 1.0));
    };
    std::vector<double> replicates;
    std::vector<double> pairs;
    for (std::size_t k = 0; k < 20; ++k) replicates.push_back(products(k, k));
    for (std::size_t k = 0; k < 20; k += 2) pairs.push_back(products(k, k + 1));
    const double full = products(99, 99);
    plain += std::pow(jackknife_standard_error(full, replicates), 2) / kDraws;
    corrected += std::pow(jackknife_standard_error(full, replicates, pairs), 2) / kDraws;
  }
  const double truth = 2.0 / (20.0 * 19.0);
  EXPECT_NEAR(plain / truth, 2.0, 0.3);
  EXPECT_NEAR((plain - corrected) / truth, 0.25, 0.08);
}

TEST(StudentT, HasTheQuantilesOfTheTables) {  // scipy.stats.t.ppf(0.975, 19), t.sf(2, 19) * 2
  EXPECT_NEAR(student_t_factor(0.95, 19), 2.093024054408263, 1e-12);
  EXPECT_NEAR(two_sided_p_value(2.0, 1.0, 19), 0.060002036386098336, 1e-12);
  EXPECT_EQ(two_sided_p_value(0.0, 0.0, 19), 1.0);
  EXPECT_EQ(two_sided_p_value(1.0, 0.0, 19), 0.0);
}

// Twenty units that move the score by `noise` in all.
Candidate model(const std::string& name, double value, double noise, std::uint64_t seed) {
  Random random(seed);
  Candidate c{.name = name, .value = value};
  for (int j = 0; j < 20; ++j) c.contributions.push_back(noise * random.normal() / std::sqrt(20.0));
  return c;
}

TEST(Ranking, OrdersByScoreThenName) {
  const std::vector<Candidate> models = {{"b", 1.0}, {"c", 2.0}, {"a", 1.0}};
  const Ranking ranking = rank_candidates(models, 0.95);
  EXPECT_EQ(ranking.level, 0.0);
  EXPECT_EQ(models[static_cast<std::size_t>(ranking.places[0].candidate)].name, "c");
  EXPECT_EQ(models[static_cast<std::size_t>(ranking.places[1].candidate)].name, "a");
  EXPECT_EQ(models[static_cast<std::size_t>(ranking.places[2].candidate)].name, "b");
  EXPECT_FALSE(ranking.places[0].rank_low.has_value());
  EXPECT_EQ(ranking.places[2].tie_group, 0) << "nobody knows";
  EXPECT_TRUE(ranking.versus_winner.empty()) << "no table of models without intervals";
}

TEST(Ranking, SeparatesClearGapsAndNotNearTies) {
  const std::vector<Candidate> models = {
      model("best", 2.0, 0.002, 1), model("twin", 1.999, 0.002, 2), model("far", 0.0, 0.002, 3)};
  const Ranking ranking = rank_candidates(models, 0.95);
  EXPECT_EQ(ranking.places[0].rank_low, 1);
  EXPECT_EQ(ranking.places[0].rank_high, 2);
  EXPECT_EQ(ranking.places[1].tie_group, 1);
  EXPECT_EQ(ranking.places[2].rank_low, 3);
  EXPECT_EQ(ranking.places[2].rank_high, 3);
  EXPECT_EQ(ranking.places[2].tie_group, 2);
  EXPECT_EQ(ranking.places[0].separable_from, (std::vector<Index>{2}));
  EXPECT_EQ(ranking.places[2].separable_from, (std::vector<Index>{0, 1}));
  EXPECT_TRUE(ranking.places[1].times_the_labels.has_value());
  EXPECT_FALSE(ranking.places[2].times_the_labels.has_value());
}

TEST(Ranking, PairsTheUnits) {  // what moves both models alike does not blur their difference
  Candidate a = model("a", 1.0, 0.5, 1);
  Candidate b = a;
  b.name = "b";
  b.value -= 0.01;
  for (std::size_t j = 0; j < b.contributions.size(); ++j)
    b.contributions[j] += j % 2 == 0 ? 1e-4 : -1e-4;
  const Ranking ranking = rank_candidates({a, b}, 0.95);
  EXPECT_TRUE(ranking.versus_winner[1].separated);
  EXPECT_NEAR(ranking.versus_winner[1].standard_error, 1e-4 * std::sqrt(20.0), 1e-9);
}

// a is far above c, but so many models lie between them that their ranges meet.
TEST(Ranking, SeparableModelsHaveRangesThatDoNotOverlap) {
  std::vector<Candidate> models;
  for (int k = 0; k < 12; ++k)
    models.push_back(model(std::string(1, static_cast<char>('a' + k)), -0.3 * k, 1.0, 100 + k));
  const Ranking ranking = rank_candidates(models, 0.95);
  std::vector<const Place*> of(models.size());
  for (const Place& place : ranking.places) of[static_cast<std::size_t>(place.candidate)] = &place;
  for (const Place& place : ranking.places) {
    EXPECT_LE(*place.rank_low, place.rank);
    EXPECT_GE(*place.rank_high, place.rank);
    for (const Index other : place.separable_from) {
      const Place& apart = *of[static_cast<std::size_t>(other)];
      EXPECT_TRUE(*place.rank_high < *apart.rank_low || *apart.rank_high < *place.rank_low);
      EXPECT_TRUE(std::ranges::binary_search(apart.separable_from, place.candidate));
    }
    const bool first =
        !std::ranges::binary_search(ranking.places[0].separable_from, place.candidate);
    EXPECT_EQ(place.tie_group == 1, first);
  }
}

// A score of which nothing is known is ordered, but said to be apart from nobody.
TEST(Ranking, WithoutContributionsAModelHasNoRange) {
  const Ranking ranking = rank_candidates(
      {model("a", 9.0, 0.01, 1), {.name = "b", .value = 5.0}, model("c", 1.0, 0.01, 2)}, 0.95);
  EXPECT_FALSE(ranking.places[1].rank_low.has_value());
  EXPECT_TRUE(ranking.places[1].separable_from.empty());
  EXPECT_EQ(ranking.places[2].separable_from, (std::vector<Index>{0}));
}

TEST(Ranking, IdenticalModelsAreTied) {
  Candidate a = model("a", 1.0, 0.1, 1);
  Candidate b = a;
  b.name = "b";
  const Ranking ranking = rank_candidates({a, b}, 0.95);
  EXPECT_EQ(ranking.places[1].tie_group, 1);
  EXPECT_EQ(ranking.places[1].rank_low, 1);
}

TEST(Ranking, LabelsNeededGrowWithTheSquareOfTheRatio) {
  Candidate a{.name = "a", .value = 0.01, .contributions = std::vector<double>(20, 0.0)};
  Candidate b{.name = "b", .value = 0.0, .contributions = std::vector<double>(20, 0.0)};
  a.contributions[0] = 0.01;  // standard error 0.01
  const double factor = student_t_factor(0.95, 19);
  const Ranking ranking = rank_candidates({a, b}, 0.95);
  EXPECT_NEAR(*ranking.places[1].times_the_labels, factor * factor, 1e-9);
}

// Part k of the variance counts k times in J, k (k - 1) / 2 times in P and so on.
TEST(JointSpread, CountsInteractionsOnce) {
  EXPECT_DOUBLE_EQ(variance_from_interactions(3.0, 0.0, 0.0), 3.0);
  EXPECT_DOUBLE_EQ(variance_from_interactions(2.0, 1.0, 0.0), 1.0);  // all of second order
  EXPECT_DOUBLE_EQ(variance_from_interactions(3.0, 1.0, 0.0), 2.0);  // half of it
  const double r = 0.6;  // parts 1, r, r^2, ...: V = 1 / (1 - r)
  const double left = 1.0 - r;
  EXPECT_NEAR(variance_from_interactions(std::pow(left, -2), r * std::pow(left, -3),
                                         r * r * std::pow(left, -4)),
              1.0 / left, 1e-12);
  // Whatever sampling does to them: never negative, never above the jackknife's.
  EXPECT_GT(variance_from_interactions(1.0, 50.0, 0.0), 0.0);
  EXPECT_LE(variance_from_interactions(1.0, 50.0, 1e9), 1.0);
}

TEST(JointSpread, IsTheCovarianceOfContributions) {
  const std::vector<double> a = {1, -1, 2, -2, 0.5};
  const std::vector<double> b = {0, 3, 1, -1, 2};
  const std::vector<double> pairs = {0.5, -1.0};
  const std::vector<double> triples = {0.5};
  const std::vector<double> none;
  const std::vector<Contributions> plain = {{a, {}, {}}, {b, {}, {}}};
  const Matrix factor = joint_spread(plain);
  const Matrix covariance = factor.transpose() * factor;
  EXPECT_NEAR(covariance(0, 0), 10.25, 1e-12);
  EXPECT_NEAR(covariance(0, 1), 2.0, 1e-12);
  // One statistic alone has its own rule, also where it stands beside another one.
  const std::vector<Contributions> corrected = {{a, pairs, triples}};
  EXPECT_NEAR(joint_spread(corrected).squaredNorm(), variance_from_interactions(10.25, 1.25, 0.25),
              1e-12);
  const std::vector<double> zero(5, 0.0);
  const std::vector<Contributions> beside = {{a, pairs, triples}, {zero, none, none}};
  EXPECT_NEAR(joint_spread(beside).col(0).squaredNorm(),
              variance_from_interactions(10.25, 1.25, 0.25), 1e-12);
}

}  // namespace
}  // namespace assay
