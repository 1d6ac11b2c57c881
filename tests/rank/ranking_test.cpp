#include "rank/ranking.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "stats/jackknife.h"

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

Candidate model(const std::string& name, double value, double noise, std::uint64_t seed) {
  Random random(seed);
  Candidate c{name, value, {}};
  for (int j = 0; j < 20; ++j) c.replicates.push_back(value + noise * random.normal());
  return c;
}

TEST(Ranking, OrdersByScoreThenName) {
  const std::vector<Candidate> models = {{"b", 1.0, {}}, {"c", 2.0, {}}, {"a", 1.0, {}}};
  const Ranking ranking = rank_candidates(models, 0.95);
  EXPECT_EQ(ranking.level, 0.0);
  EXPECT_EQ(models[static_cast<std::size_t>(ranking.places[0].candidate)].name, "c");
  EXPECT_EQ(models[static_cast<std::size_t>(ranking.places[1].candidate)].name, "a");
  EXPECT_EQ(models[static_cast<std::size_t>(ranking.places[2].candidate)].name, "b");
  EXPECT_FALSE(ranking.places[0].rank_low.has_value());
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
}

TEST(Ranking, PairsTheFolds) {  // what moves both models alike does not blur their difference
  Candidate a = model("a", 1.0, 0.5, 1);
  Candidate b = a;
  b.name = "b";
  b.value -= 0.01;
  for (std::size_t j = 0; j < b.replicates.size(); ++j)
    b.replicates[j] -= 0.01 + (j % 2 == 0 ? 1e-4 : -1e-4);
  const Ranking ranking = rank_candidates(std::vector<Candidate>{a, b}, 0.95);
  EXPECT_TRUE(ranking.comparisons[0][1].separated);
}

TEST(Ranking, IdenticalModelsAreTied) {
  Candidate a = model("a", 1.0, 0.1, 1);
  Candidate b = a;
  b.name = "b";
  const Ranking ranking = rank_candidates(std::vector<Candidate>{a, b}, 0.95);
  EXPECT_EQ(ranking.places[1].tie_group, 1);
  EXPECT_EQ(ranking.places[1].rank_low, 1);
}

TEST(SamplesToSeparate, GrowWithTheSquareOfTheRatio) {
  const Comparison c{0.01, 0.01, false};
  const double factor = student_t_factor(0.95, 19);
  EXPECT_NEAR(samples_to_separate(c, 1000, 20, 0.95), 1000.0 * factor * factor, 1e-9);
  EXPECT_EQ(samples_to_separate({0.0, 0.01, false}, 1000, 20, 0.95), 0.0);
}

}  // namespace
}  // namespace assay
