// Tests: rank/score_by_samples.
#include "rank/score_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "data/subset.h"
#include "scoring.h"

namespace assay {
namespace {

using test::kPlenty;
using test::logme_of;
using test::metrics;
using test::rows_outside;
using test::score;
using testing::HasSubstr;

void expect_replicates_of_subsets(const Matrix& features, const Targets& targets, bool center) {
  const Folds folds = stratified_folds(targets, 20, 1);
  const MetricScore result = score(features, targets, folds, center);
  EXPECT_NEAR(result.score.value,
              logme_of(features, targets, rows_outside(folds, -1), center).value, 1e-12);
  ASSERT_EQ(result.replicates.size(), 20U);
  for (Index fold = 0; fold < folds.count; ++fold) {
    // Balanced classes: the score of no features is the same without the fold, but for the
    // degree of freedom that the intercept takes.
    const Score part = logme_of(features, targets, rows_outside(folds, fold), center);
    const bool classes = targets.kind == TargetKind::classes;
    const double offset = classes ? result.score.baselines[0] - part.baselines[0] : 0.0;
    if (!center && classes) {
      EXPECT_NEAR(offset, 0.0, 1e-12);
    }
    EXPECT_NEAR(result.replicates[static_cast<std::size_t>(fold)], part.value + offset, 1e-10);
  }
}

TEST(ScoreModel, ReplicatesAreScoresWithoutTheFold) {
  const test::Sample tall = test::blobs(3, 40, 10, 2.0);
  expect_replicates_of_subsets(tall.features, tall.targets, false);
  expect_replicates_of_subsets(tall.features, tall.targets, true);
}

TEST(ScoreModel, ReplicatesAreScoresWithoutTheFoldInTheKernelToo) {
  const test::Sample wide = test::blobs(3, 20, 90, 4.0);
  expect_replicates_of_subsets(wide.features, wide.targets, false);
  expect_replicates_of_subsets(wide.features, wide.targets, true);
}

TEST(ScoreModel, ReplicatesNearTheSquareShapeMayChangeSides) {
  // 60 samples of 58 dimensions are summed as moments; 57 samples of them alone would be a kernel.
  const test::Sample square = test::blobs(3, 20, 58, 4.0);
  expect_replicates_of_subsets(square.features, square.targets, false);
}

TEST(ScoreModel, ReplicatesOfRegressionAreScoresWithoutTheFold) {
  const Matrix features = test::gaussian(80, 6, 1);
  const Matrix y = features * test::gaussian(6, 2, 2) + test::gaussian(80, 2, 3);
  expect_replicates_of_subsets(features, test::value_targets(y), false);
}

TEST(ScoreModel, ReplicatesAgreeWithTheFormula) {
  const test::Sample sample = test::blobs(2, 30, 4, 1.5);
  const Folds folds = stratified_folds(sample.targets, 5, 1);
  const MetricScore result = score(sample.features, sample.targets, folds);
  for (Index fold = 0; fold < folds.count; ++fold) {
    const std::vector<Index> kept = rows_outside(folds, fold);
    const Matrix features = sample.features(kept, Eigen::all);
    EXPECT_NEAR(result.replicates[static_cast<std::size_t>(fold)],
                test::brute_force_logme(features, target_matrix(sample.targets, kept)), 1e-7);
  }
}

TEST(ScoreModel, WithoutFoldsThereAreNoReplicates) {
  const test::Sample sample = test::blobs(3, 20, 5, 1.0);
  EXPECT_TRUE(score(sample.features, sample.targets, {}).replicates.empty());
}

// Two folds are all there is: without both no sample would be left.
TEST(ScoreModel, TwoFoldsOfFewSamplesAreLeftOutOneByOne) {
  for (const Index samples : {2, 6}) {
    const Matrix features = test::gaussian(samples, 9, 4);
    std::vector<Label> labels;
    Folds folds{2, {}};
    for (Index i = 0; i < samples; ++i) {
      labels.push_back(static_cast<Label>(i % 2));
      folds.of_row.push_back(i / (samples / 2));
    }
    const MetricScore got = score(features, test::class_targets(labels), folds);
    EXPECT_EQ(got.replicates.size(), 2U);
    EXPECT_TRUE(got.pair_replicates.empty());
    for (const double replicate : got.replicates) EXPECT_TRUE(std::isfinite(replicate));
  }
}

// The evidence per sample of a class without any features: q / n is the class's share.
double no_features(const Targets& targets, const std::vector<Index>& rows, Label label) {
  double count = 0.0;
  for (const Index row : rows) count += targets.labels[static_cast<std::size_t>(row)] == label;
  return -0.5 * std::log(2.0 * std::numbers::pi * count / static_cast<double>(rows.size())) - 0.5;
}

// Class counts are given: what is left out moves the gain over no features, and a class
// that is left out as a whole keeps its value.
double replicate_by_hand(const test::Sample& sample, const Folds& folds, Index fold) {
  const std::vector<Index> all = rows_outside(folds, -1);
  const std::vector<Index> kept = rows_outside(folds, fold);
  const Score full = logme_of(sample.features, sample.targets, all);
  const Score part = logme_of(sample.features, sample.targets, kept);
  double sum = 0.0;
  for (Label c = 0; c < sample.targets.columns(); ++c) {
    const auto column = static_cast<std::size_t>(c);
    const bool absent = std::isnan(part.columns.at(column));
    sum += absent ? full.columns.at(column)
                  : part.columns[column] - no_features(sample.targets, kept, c) +
                        no_features(sample.targets, all, c);
  }
  return sum / static_cast<double>(sample.targets.columns());
}

void expect_replicates_by_hand(const test::Sample& sample, const Folds& folds) {
  const MetricScore result = score(sample.features, sample.targets, folds);
  for (Index fold = 0; fold < folds.count; ++fold) {
    EXPECT_NEAR(result.replicates[static_cast<std::size_t>(fold)],
                replicate_by_hand(sample, folds, fold), 1e-10);
  }
}

// All samples of class 2 lie in fold 0, and nothing else of note.
Folds folds_with_a_class_of_their_own(const Targets& targets) {
  Folds folds{4, {}};
  Index dealt = 0;
  for (const Label label : targets.labels) folds.of_row.push_back(label == 2 ? 0 : dealt++ % 4);
  return folds;
}

TEST(ScoreModel, AClassAbsentWithoutAFoldKeepsItsFullDataValue) {
  const test::Sample tall = test::blobs(3, 40, 6, 2.0);
  expect_replicates_by_hand(tall, folds_with_a_class_of_their_own(tall.targets));
  const test::Sample wide = test::blobs(3, 10, 50, 4.0);  // by way of the kernel
  expect_replicates_by_hand(wide, folds_with_a_class_of_their_own(wide.targets));
}

TEST(ScoreModel, FoldsThatCannotShareASmallClassOutDoNotMoveTheScore) {
  test::Sample sample = test::blobs(2, 40, 5, 1.0);
  std::vector<Label> labels = sample.targets.labels;
  for (const std::size_t rare : {3U, 40U, 77U}) labels[rare] = 2;
  sample.targets = test::class_targets(labels);
  expect_replicates_by_hand(sample, stratified_folds(sample.targets, 20, 1));
  // Features that say nothing: no fold differs from another, whatever it holds of the classes.
  sample.features.setZero();
  const MetricScore nothing =
      score(sample.features, sample.targets, stratified_folds(sample.targets, 20, 1));
  for (const double replicate : nothing.replicates) {
    EXPECT_NEAR(replicate, nothing.score.value, 1e-12);
  }
}

TEST(ScoreModel, RefusesTargetsOfAnotherLength) {
  const Targets targets = test::class_targets({0, 1, 0, 1});
  for (const Index dim : {2, 9}) {
    const std::string message =
        test::error_of([&] { score(test::gaussian(5, dim, 1), targets, {}); });
    EXPECT_EQ(message, "features: 5 rows, but labels has 4 labels; one label per row is expected");
  }
}

TEST(ScoreModel, NamesTheRowAndColumnOfABadValue) {
  const Targets targets = test::class_targets({0, 1, 0, 1, 0});
  for (const Index dim : {3, 9}) {
    Matrix features = test::gaussian(5, dim, 1);
    features(4, 2) = -std::numeric_limits<double>::infinity();
    EXPECT_THAT(test::error_of([&] { score(features, targets, {}); }),
                HasSubstr("features: row 4, column 2 is infinite"));
  }
}

TEST(ScoreModel, RefusesTargetsThatDoNotVary) {
  const Targets flat = test::value_targets(Matrix::Constant(6, 2, 3.25));
  for (const Index dim : {2, 9}) {
    EXPECT_THAT(test::error_of([&] { score(test::gaussian(6, dim, 1), flat, {}); }),
                HasSubstr("targets: every target is constant"));
  }
}

TEST(ScoreModel, ReportsProgressUpToOne) {
  const test::Sample sample = test::blobs(3, 20, 5, 1.0);
  std::vector<double> seen;
  const ScoreOptions options{.memory_limit = kPlenty};
  score_model({test::pool(), *rows_of_matrix(sample.features, "features"), sample.targets,
               stratified_folds(sample.targets, 20, 1), options,
               [&](double done, const std::string&) { seen.push_back(done); }},
              metrics());
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1.0);
}

// Their products leave the range of double: said in words, not by a crash.
TEST(ScoreModel, RefusesValuesWhoseSquaresOverflowWhereSamplesAreNeeded) {
  test::Sample sample = test::blobs(3, 20, 5, 1.0);
  const Folds folds = stratified_folds(sample.targets, 20, 1);
  const auto run = [&] {
    const ScoreOptions options{.memory_limit = kPlenty};
    score_model({test::pool(),
                 *rows_of_matrix(sample.features, "features"),
                 sample.targets,
                 folds,
                 options,
                 {}},
                {&find_metric("laplace")});
  };
  sample.features(7, 2) = 1e99;
  EXPECT_NO_THROW(run());
  sample.features(7, 2) = -1e160;
  EXPECT_THAT(test::error_of(run), HasSubstr("features: row 7 has a value of size 1e+160, beyond"));
}

}  // namespace
}  // namespace assay
