// Tests: evaluate/mean_quality.
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/evaluate.h"

namespace assay {
namespace {

using Strings = std::vector<std::string>;

// Two data sets with ties, a model that only one of them has, and a metric without a
// score for a model of `cars`.
ComparedDataset pets() {
  return {.name = "pets",
          .scores = {{.name = "logme", .values = {{"a", 3}, {"b", 2}, {"c", 2}, {"d", 1}}},
                     {.name = "linear_valid",
                      .higher_is_better = false,
                      .values = {{"a", 0.1}, {"b", 0.2}, {"c", 0.3}, {"d", 0.25}}}},
          .truth = {.column = "accuracy",
                    .values = {{"a", 90}, {"b", 91}, {"c", 80}, {"d", 70}},
                    .baselines = {
                        {.name = "dim", .values = {{"a", 64}, {"b", 128}, {"c", 64}, {"d", 64}}}}}};
}

ComparedDataset cars() {
  return {.name = "cars",
          .scores = {{.name = "logme", .values = {{"a", 1}, {"b", 2}, {"c", 3}, {"e", 0.5}}},
                     {.name = "linear_valid",
                      .higher_is_better = false,
                      .values = {{"b", 0.5}, {"c", 0.7}, {"e", 0.5}}}},
          .truth = {.column = "accuracy",
                    .values = {{"a", 70}, {"b", 75}, {"c", 60}, {"e", 66}},
                    .baselines = {{.name = "dim",
                                   .values = {{"a", 64}, {"b", 128}, {"c", 64}, {"e", 512}}}}}};
}

const MeanQuality& row_of(const std::vector<MeanQuality>& rows, const std::string& metric) {
  return *std::ranges::find(rows, metric, &MeanQuality::metric);
}

void expect_correlations(const MeanQuality& row, double kendall, double weighted_kendall,
                         double pearson, double spearman) {
  EXPECT_NEAR(row.kendall.value(), kendall, 1e-14) << row.metric;
  EXPECT_NEAR(row.agreement.value(), (kendall + 1.0) / 2.0, 1e-14) << row.metric;
  EXPECT_NEAR(row.weighted_kendall.value(), weighted_kendall, 1e-14) << row.metric;
  EXPECT_NEAR(row.pearson.value(), pearson, 1e-14) << row.metric;
  EXPECT_NEAR(row.spearman.value(), spearman, 1e-14) << row.metric;
}

TEST(EvaluateMany, AveragesTheCorrelationsOverDataSets) {
  // SciPy 1.10: the mean over both data sets of tau-a (a double loop), weightedtau,
  // pearsonr and spearmanr, linear_valid negated and without model a of cars.
  const auto rows = evaluate_many({pets(), cars()}).metrics;
  ASSERT_EQ(rows.size(), 3U);
  expect_correlations(rows[0], 0.25, 0.15694261662270964, 0.23993938984950966, 0.21622776601683802);
  expect_correlations(rows[1], 0.5, 0.5510197240595703, 0.7261290392455515, 0.7330127018922195);
  expect_correlations(rows[2], 1.0 / 3.0, 0.45389202224904707, 0.24032293357789036,
                      0.49270758995968766);
}

TEST(EvaluateMany, AveragesTheChoicesOverDataSets) {
  const auto rows = evaluate_many({pets(), cars()}).metrics;
  // logme takes a (90 of 91) and c (60 of 75).
  EXPECT_EQ(rows[0].metric, "logme");
  EXPECT_DOUBLE_EQ(rows[0].top1.value(), 0.0);
  EXPECT_DOUBLE_EQ(rows[0].regret1.value(), (1.0 + 15.0) / 2.0);
  EXPECT_DOUBLE_EQ(rows[0].top3.value(), (1.0 + 2.0 / 3.0) / 2.0);
  EXPECT_DOUBLE_EQ(rows[0].regret3.value(), 0.0);
  // linear_valid takes a, and e (66), which ties with b: 1 and 9.
  EXPECT_DOUBLE_EQ(rows[1].regret1.value(), 5.0);
  // dim takes b, the best of pets, and e.
  EXPECT_TRUE(rows[2].baseline);
  EXPECT_DOUBLE_EQ(rows[2].top1.value(), 0.5);
  EXPECT_DOUBLE_EQ(rows[2].regret1.value(), 4.5);
}

TEST(EvaluateMany, CountsModelsAndListsMissingCells) {
  const auto rows = evaluate_many({pets(), cars()}).metrics;
  EXPECT_EQ(rows[0].models, 8);
  EXPECT_TRUE(rows[0].missing.empty());
  EXPECT_EQ(rows[1].models, 7);
  EXPECT_EQ(rows[1].missing, Strings{"cars/a"});
  EXPECT_EQ(rows[1].datasets, 2);
  EXPECT_EQ(rows[1].correlated, 2);
}

TEST(EvaluateMany, ADataSetCountsTheSameWhateverItsSize) {
  // Perfect on two models, reversed on three: 0, not the -0.33 of pooled pairs.
  const ComparedDataset small{
      .name = "small",
      .scores = {{.name = "m", .values = {{"a", 1}, {"b", 2}}}},
      .truth = {.column = "accuracy", .values = {{"a", 1}, {"b", 2}}, .baselines = {}}};
  const ComparedDataset large{
      .name = "large",
      .scores = {{.name = "m", .values = {{"a", 1}, {"b", 2}, {"c", 3}}}},
      .truth = {.column = "accuracy", .values = {{"a", 3}, {"b", 2}, {"c", 1}}, .baselines = {}}};
  const MeanQuality row = evaluate_many({small, large}).metrics.at(0);
  EXPECT_DOUBLE_EQ(row.kendall.value(), 0.0);
  EXPECT_DOUBLE_EQ(row.top1.value(), 0.5);
}

TEST(EvaluateMany, LeavesOutDataSetsOnWhichAMeasureDoesNotExist) {
  ComparedDataset constant = cars();
  for (auto& [model, score] : constant.scores[0].values) score = 7;
  constant.scores[1].values = {{"a", 1}};  // one model: nothing to choose from
  const ManyEvaluation result = evaluate_many({pets(), constant});
  const MeanQuality& logme = result.metrics[0];
  EXPECT_EQ(logme.kendall, result.datasets[0].evaluation.metrics[0].kendall);
  EXPECT_EQ(logme.datasets, 2);
  EXPECT_EQ(logme.correlated, 1);
  EXPECT_DOUBLE_EQ(logme.regret1.value(), (1.0 + 15.0) / 2.0);  // worst of equal scores: c, 60
  const MeanQuality& linear = result.metrics[1];
  EXPECT_EQ(linear.datasets, 1);
  EXPECT_EQ(linear.models, 5);
  EXPECT_DOUBLE_EQ(linear.regret1.value(), 1.0);
}

TEST(EvaluateMany, AMeasureThatExistsNowhereIsNull) {
  ComparedDataset one = pets();
  ComparedDataset two = cars();
  one.scores[0].values = {{"a", 1}};
  two.scores[0].values.clear();
  const MeanQuality row = evaluate_many({one, two}).metrics.at(0);
  EXPECT_EQ(row.models, 1);
  EXPECT_EQ(row.datasets, 0);
  EXPECT_EQ(row.kendall, std::nullopt);
  EXPECT_EQ(row.top1, std::nullopt);
  EXPECT_EQ(row.regret1, std::nullopt);
}

TEST(EvaluateMany, AMetricOfOneDataSetIsAveragedOverThat) {
  ComparedDataset more = cars();
  more.scores.push_back({.name = "knn", .values = more.truth.values});
  const auto rows = evaluate_many({pets(), more}).metrics;
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2].metric, "knn");  // before the baseline
  EXPECT_EQ(rows[2].datasets, 1);
  EXPECT_DOUBLE_EQ(rows[2].kendall.value(), 1.0);
  EXPECT_TRUE(rows[3].baseline);
}

ComparedDataset labelled(ComparedDataset dataset, const std::map<std::string, GroupLabel>& groups) {
  dataset.groups = groups;
  return dataset;
}

TEST(EvaluateGroups, OfDataSetsAreAveragedByValue) {
  const GroupLabel many{.order = 51, .text = "51-200"};
  const GroupLabel few{.order = 11, .text = "11-50"};
  ComparedDataset birds = pets();
  birds.name = "birds";
  const ManyEvaluation result =
      evaluate_many({labelled(birds, {{"a", many}}), labelled(pets(), {{"a", few}, {"b", few}}),
                     labelled(cars(), {{"a", many}, {"c", many}})});
  ASSERT_EQ(result.groups.size(), 2U);
  EXPECT_EQ(result.groups[0].value, "11-50");
  EXPECT_EQ(result.groups[0].datasets, Strings{"pets"});
  EXPECT_EQ(result.groups[0].models, 4);  // b, c and d have no cell of their own
  EXPECT_DOUBLE_EQ(row_of(result.groups[0].metrics, "logme").kendall.value(), 0.5);
  EXPECT_EQ(result.groups[1].value, "51-200");
  EXPECT_EQ(result.groups[1].datasets, (Strings{"birds", "cars"}));
  EXPECT_EQ(result.groups[1].models, 8);
  expect_correlations(row_of(result.groups[1].metrics, "logme"), 0.25, 0.15694261662270964,
                      0.23993938984950966, 0.21622776601683802);
  EXPECT_TRUE(result.skipped.empty());
  EXPECT_TRUE(result.ungrouped.empty());
}

TEST(EvaluateGroups, OfModelsAreComparedWithinTheirDataSet) {
  const GroupLabel cnn{.text = "cnn"};
  const GroupLabel vit{.text = "vit"};
  const ManyEvaluation result =
      evaluate_many({labelled(pets(), {{"a", cnn}, {"b", vit}, {"c", cnn}, {"d", cnn}}),
                     labelled(cars(), {{"a", cnn}, {"b", vit}, {"c", cnn}, {"e", cnn}})});
  ASSERT_EQ(result.groups.size(), 1U);
  const GroupEvaluation& group = result.groups[0];
  EXPECT_EQ(group.value, "cnn");
  EXPECT_EQ(group.datasets, (Strings{"pets", "cars"}));
  EXPECT_EQ(group.models, 6);
  // SciPy on a, c, d of pets and a, c, e of cars, averaged.
  expect_correlations(row_of(group.metrics, "logme"), 1.0 / 3.0, 0.31818181818181823,
                      0.0869834061845488, 0.25);
  expect_correlations(row_of(group.metrics, "linear_valid"), 2.0 / 3.0, 0.7727272727272727,
                      0.8602883460614461, 0.75);
  // All 64 among a, c, d of pets: cars alone.
  const MeanQuality& dim = row_of(group.metrics, "dim");
  EXPECT_EQ(dim.correlated, 1);
  EXPECT_NEAR(dim.weighted_kendall.value(), -0.139814960959389, 1e-14);
  ASSERT_EQ(result.skipped.size(), 2U);
  EXPECT_EQ(result.skipped[0].value, "vit");
  EXPECT_EQ(result.skipped[0].dataset, "pets");
  EXPECT_EQ(result.skipped[0].models, 1);
}

TEST(EvaluateGroups, CountOnlyModelsWithScoreAndTruth) {
  const GroupLabel x{.text = "x"};
  const GroupLabel y{.text = "y"};
  ComparedDataset dataset = labelled(pets(), {{"a", x}, {"b", x}, {"c", x}, {"d", y}, {"z", y}});
  dataset.truth.values.erase("c");
  const ManyEvaluation result = evaluate_many({dataset});
  EXPECT_TRUE(result.groups.empty());
  ASSERT_EQ(result.skipped.size(), 2U);
  EXPECT_EQ(result.skipped[0].models, 2);
  EXPECT_EQ(result.skipped[1].models, 1);
}

TEST(EvaluateGroups, ListWhatHasNoLabel) {
  const GroupLabel x{.text = "x"};
  const GroupLabel y{.text = "y"};
  const ManyEvaluation models = evaluate_many({labelled(pets(), {{"a", x}, {"b", y}, {"c", x}})});
  EXPECT_EQ(models.ungrouped, Strings{"pets/d"});
  const ManyEvaluation datasets = evaluate_many({labelled(pets(), {{"a", x}}), cars()});
  EXPECT_EQ(datasets.ungrouped, Strings{"cars"});
  EXPECT_EQ(datasets.groups.size(), 1U);
  EXPECT_TRUE(evaluate_many({pets(), cars()}).ungrouped.empty());
}

}  // namespace
}  // namespace assay
