// Tests: evaluate/group_labels, evaluate/model_table.
#include "assay/evaluate.h"

#include <gtest/gtest.h>

#include <limits>

#include "assay/correlation.h"

namespace assay {
namespace {

using Strings = std::vector<std::string>;

// Accuracies 90, 88, 80, 70, 60.
Truth five_models() {
  return {.column = "accuracy",
          .values = {{"a", 90}, {"b", 88}, {"c", 80}, {"d", 70}, {"e", 60}},
          .baselines = {}};
}

MetricQuality quality(const ScoreColumn& column, const Truth& truth) {
  return evaluate({column}, truth).metrics.at(0);
}

void expect_no_correlations(const MetricQuality& row) {
  EXPECT_EQ(row.kendall, std::nullopt);
  EXPECT_EQ(row.weighted_kendall, std::nullopt);
  EXPECT_EQ(row.pearson, std::nullopt);
  EXPECT_EQ(row.spearman, std::nullopt);
  EXPECT_EQ(row.agreement, std::nullopt);
}

TEST(Evaluate, GivesTheValuesWorkedOutByHand) {
  // The metric orders c, d, b, a, e: pairs (a,b), (a,c), (a,d), (b,c), (b,d) of ten are
  // reversed, so tau = 0. Its best model has 80 of 90; its three best c, d, b reach 88,
  // and b, c are among the truth's three best.
  const ScoreColumn column{.name = "logme",
                           .values = {{"a", 2}, {"b", 3}, {"c", 5}, {"d", 4}, {"e", 1}}};
  const MetricQuality row = quality(column, five_models());
  EXPECT_EQ(row.metric, "logme");
  EXPECT_FALSE(row.baseline);
  EXPECT_EQ(row.models, 5);
  EXPECT_DOUBLE_EQ(row.kendall.value(), 0.0);
  EXPECT_DOUBLE_EQ(row.agreement.value(), 0.5);
  // Rank differences 3, 1, -2, -2, 0: 1 - 6 * 18 / (5 * 24).
  EXPECT_NEAR(row.spearman.value(), 0.1, 1e-15);
  // Deviations of the truth 12.4, 10.4, 2.4, -7.6, -17.6, of the scores -1, 0, 2, 1, -2:
  // 20 / sqrt(635.2 * 10).
  EXPECT_NEAR(row.pearson.value(), 0.250943, 1e-6);
  // SciPy's weightedtau on these numbers.
  EXPECT_NEAR(row.weighted_kendall.value(), -0.14051094890510937, 1e-12);
  EXPECT_EQ(row.top1, false);
  EXPECT_DOUBLE_EQ(row.top3.value(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(row.regret1.value(), 10.0);
  EXPECT_DOUBLE_EQ(row.regret3.value(), 2.0);
  EXPECT_TRUE(row.missing.empty());
}

TEST(Evaluate, ACopyOfTheTruthIsPerfect) {
  const MetricQuality row = quality({.name = "m", .values = five_models().values}, five_models());
  EXPECT_DOUBLE_EQ(row.kendall.value(), 1.0);
  EXPECT_DOUBLE_EQ(row.weighted_kendall.value(), 1.0);
  EXPECT_DOUBLE_EQ(row.agreement.value(), 1.0);
  EXPECT_EQ(row.top1, true);
  EXPECT_DOUBLE_EQ(row.top3.value(), 1.0);
  EXPECT_DOUBLE_EQ(row.regret1.value(), 0.0);
  EXPECT_DOUBLE_EQ(row.regret3.value(), 0.0);
}

TEST(Evaluate, TurnsLowerIsBetterScoresRound) {
  const ScoreColumn loss{.name = "linear",
                         .higher_is_better = false,
                         .values = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}}};
  const MetricQuality row = quality(loss, five_models());
  EXPECT_DOUBLE_EQ(row.weighted_kendall.value(), 1.0);
  EXPECT_GT(row.pearson.value(), 0.9);
  EXPECT_EQ(row.top1, true);
}

TEST(Evaluate, TurnsLowerIsBetterTruthsRoundAndKeepsRegretPositive) {
  const Truth errors{.column = "error",
                     .higher_is_better = false,
                     .values = {{"a", 0.1}, {"b", 0.3}, {"c", 0.6}},
                     .baselines = {}};
  const ScoreColumn wrong{.name = "logme", .values = {{"a", 1}, {"b", 2}, {"c", 3}}};
  const MetricQuality row = quality(wrong, errors);
  EXPECT_DOUBLE_EQ(row.kendall.value(), -1.0);
  EXPECT_EQ(row.top1, false);
  EXPECT_DOUBLE_EQ(row.regret1.value(), 0.5);
  EXPECT_DOUBLE_EQ(row.regret3.value(), 0.0);
}

TEST(Evaluate, AConstantMetricGetsNoCredit) {
  const ScoreColumn constant{.name = "m",
                             .values = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}}};
  const MetricQuality row = quality(constant, five_models());
  expect_no_correlations(row);
  EXPECT_EQ(row.top1, false);
  EXPECT_DOUBLE_EQ(row.regret1.value(), 30.0);    // e
  EXPECT_DOUBLE_EQ(row.regret3.value(), 10.0);    // e, d, c
  EXPECT_DOUBLE_EQ(row.top3.value(), 1.0 / 3.0);  // c
}

TEST(Evaluate, ResolvesATieAtTheTopAgainstTheMetric) {
  const ScoreColumn tied{.name = "m", .values = {{"a", 5}, {"b", 3}, {"c", 5}, {"d", 3}, {"e", 3}}};
  const MetricQuality row = quality(tied, five_models());
  EXPECT_EQ(row.top1, false);  // c before a
  EXPECT_DOUBLE_EQ(row.regret1.value(), 10.0);
  EXPECT_DOUBLE_EQ(row.top3.value(), 2.0 / 3.0);  // c, a, then e of b, d, e
}

TEST(Evaluate, AnyModelThatSharesTheBestTruthIsAHit) {
  const Truth shared{.column = "accuracy",
                     .values = {{"a", 90}, {"b", 90}, {"c", 80}, {"d", 80}, {"e", 10}},
                     .baselines = {}};
  const ScoreColumn column{.name = "m",
                           .values = {{"a", 4}, {"b", 5}, {"c", 1}, {"d", 3}, {"e", 2}}};
  const MetricQuality row = quality(column, shared);
  EXPECT_EQ(row.top1, true);
  EXPECT_DOUBLE_EQ(row.regret1.value(), 0.0);
  EXPECT_DOUBLE_EQ(row.top3.value(), 1.0);  // d reaches the third best truth
}

TEST(Evaluate, AMissingCellLeavesTheModelOutOfThatRowOnly) {
  const ScoreColumn full{.name = "full", .values = five_models().values};
  const ScoreColumn gap{.name = "gap", .values = {{"b", 1}, {"c", 2}, {"d", 3}, {"e", 4}}};
  const Evaluation result = evaluate({full, gap}, five_models());
  ASSERT_EQ(result.metrics.size(), 2U);
  EXPECT_EQ(result.metrics[0].models, 5);
  EXPECT_EQ(result.metrics[1].models, 4);
  EXPECT_EQ(result.models, 5);
  EXPECT_EQ(result.metrics[1].missing, Strings{"a"});
  EXPECT_DOUBLE_EQ(result.metrics[1].kendall.value(), -1.0);
  EXPECT_DOUBLE_EQ(result.metrics[1].regret1.value(), 28.0);  // 88 is the best it could see
  EXPECT_TRUE(result.only_in_truth.empty());
}

TEST(Evaluate, ListsTheNamesThatOnlyOneSideHas) {
  const ScoreColumn first{.name = "m", .values = {{"a", 1}, {"x", 2}}};
  const ScoreColumn second{.name = "n", .values = {{"b", 1}, {"w", 2}}};
  const Evaluation result = evaluate({first, second}, five_models());
  EXPECT_EQ(result.only_in_scores, (Strings{"w", "x"}));
  EXPECT_EQ(result.only_in_truth, (Strings{"c", "d", "e"}));
  EXPECT_EQ(result.metrics[0].missing, Strings{"b"});
}

TEST(Evaluate, GivesBaselinesARowOverTheModelsThatWereScored) {
  Truth truth = five_models();
  truth.baselines = {{.name = "params", .values = {{"a", 3}, {"b", 2}, {"c", 1}, {"e", 99}}}};
  const ScoreColumn column{.name = "m", .values = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}}};
  const Evaluation result = evaluate({column}, truth);
  ASSERT_EQ(result.metrics.size(), 2U);
  const MetricQuality& params = result.metrics[1];
  EXPECT_EQ(params.metric, "params");
  EXPECT_TRUE(params.baseline);
  EXPECT_EQ(params.models, 3);  // e is not scored, d has no params
  EXPECT_EQ(params.missing, Strings{"d"});
  EXPECT_DOUBLE_EQ(params.kendall.value(), 1.0);
}

TEST(Evaluate, KeepsOneRowPerName) {
  Truth truth = five_models();
  truth.baselines = {{.name = "params", .values = truth.values}};
  const Evaluation result = evaluate({{.name = "params", .values = truth.values}}, truth);
  ASSERT_EQ(result.metrics.size(), 1U);
  EXPECT_FALSE(result.metrics[0].baseline);
}

void expect_no_choices(const MetricQuality& row) {
  EXPECT_EQ(row.top1, std::nullopt);
  EXPECT_EQ(row.top3, std::nullopt);
  EXPECT_EQ(row.regret1, std::nullopt);
  EXPECT_EQ(row.regret3, std::nullopt);
}

TEST(Evaluate, OneModelLeavesNothingToChooseFrom) {
  const MetricQuality row = quality({.name = "m", .values = {{"b", 1}}}, five_models());
  EXPECT_EQ(row.models, 1);
  expect_no_correlations(row);
  expect_no_choices(row);
}

TEST(Evaluate, NoCommonModelLeavesEverythingUndefined) {
  const MetricQuality row = quality({.name = "m", .values = {{"x", 1}}}, five_models());
  EXPECT_EQ(row.models, 0);
  expect_no_correlations(row);
  expect_no_choices(row);
}

TEST(Evaluate, AConstantTruthHasNoCorrelationsAndNoRegret) {
  const Truth flat{.column = "accuracy", .values = {{"a", 7}, {"b", 7}}, .baselines = {}};
  const MetricQuality row = quality({.name = "m", .values = {{"a", 1}, {"b", 2}}}, flat);
  expect_no_correlations(row);
  EXPECT_EQ(row.top1, true);
  EXPECT_DOUBLE_EQ(row.regret1.value(), 0.0);
}

TEST(Evaluate, TreatsNanScoresAndInfiniteTruthsAsMissing) {
  Truth truth = five_models();
  truth.values["a"] = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ScoreColumn column{.name = "m", .values = {{"a", 9}, {"b", 2}, {"c", nan}, {"d", 1}}};
  const Evaluation result = evaluate({column}, truth);
  EXPECT_EQ(result.metrics[0].models, 2);
  EXPECT_EQ(result.only_in_scores, Strings{"a"});
  EXPECT_DOUBLE_EQ(result.metrics[0].regret1.value(), 0.0);
}

}  // namespace
}  // namespace assay
