#include "rank/score_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "assay/error.h"
#include "data/moments_pass.h"
#include "data/subset.h"
#include "metrics/make_problem.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr Index kPlenty = Index{1} << 32;

const std::vector<const Metric*>& metrics() {
  static const std::vector<const Metric*> all = {&find_metric("logme")};
  return all;
}

MetricScore score(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                  const Folds& folds, const ScoreOptions& options) {
  return score_model({pool, rows, targets, folds, options, {}}, metrics()).at(0);
}

MetricScore score(const Matrix& features, const Targets& targets, const Folds& folds,
                  bool center = false) {
  return score(test::pool(), *rows_of_matrix(features, "features"), targets, folds,
               {.center = center, .memory_limit = kPlenty, .closed_form = false});
}

std::vector<Index> rows_outside(const Folds& folds, Index fold) {
  std::vector<Index> kept;
  for (std::size_t row = 0; row < folds.of_row.size(); ++row) {
    if (folds.of_row[row] != fold) kept.push_back(static_cast<Index>(row));
  }
  return kept;
}

// LogME of some of the samples, from a problem of their own; all classes keep their columns.
Score logme_of(const Matrix& features, const Targets& targets, const std::vector<Index>& kept,
               bool center = false) {
  Targets part = targets;
  if (targets.kind == TargetKind::classes) {
    part.labels.clear();
    for (const Index row : kept)
      part.labels.push_back(targets.labels[static_cast<std::size_t>(row)]);
  } else {
    part.values = Matrix(targets.values(kept, Eigen::all));
  }
  const Rows rows = rows_of_matrix(Matrix(features(kept, Eigen::all)), "part");
  return find_metric("logme").from_moments(
      make_problem(test::pool(), *rows, part, center, kPlenty));
}

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

// Counts what is read of the rows behind it.
class CountedRows : public RowSource {
 public:
  explicit CountedRows(Rows rows)
      : RowSource(rows->rows(), rows->cols(), rows->where()), inner_(std::move(rows)) {}
  bool is_double() const override { return inner_->is_double(); }
  void read(std::span<const Index> rows, float* out) const override {
    count_ += static_cast<Index>(rows.size());
    inner_->read(rows, out);
  }
  void read(std::span<const Index> rows, double* out) const override {
    count_ += static_cast<Index>(rows.size());
    inner_->read(rows, out);
  }
  std::vector<std::filesystem::path> files() const override { return {}; }
  Index count() const { return count_; }

 private:
  Rows inner_;
  mutable std::atomic<Index> count_ = 0;
};

// Float samples as a file holds them; `stored` must outlive the rows.
Rows float_rows(const Eigen::MatrixXf& stored) {
  Array array;
  array.type = ElementType::f32;
  array.shape = {stored.rows(), stored.cols()};
  array.item_size = sizeof(float);
  array.fortran_order = true;
  array.bytes = std::as_bytes(std::span(stored.data(), static_cast<std::size_t>(stored.size())));
  return rows_of_array(array, {});
}

// One column so large that float products lose the small directions: they are taken in double then.
TEST(ScoreModel, FloatProductsAreTakenBackWhereTheyHideDirections) {
  for (const float ratio : {1e3F, 1e4F}) {
    const test::Sample sample = test::blobs(10, 200, 510, 1.0);
    Eigen::MatrixXf stored = sample.features.cast<float>();
    stored.col(3) *= ratio;
    const std::vector<const Metric*> by_moments = {&find_metric("logme"), &find_metric("hscore"),
                                                   &find_metric("hscore_shrunk")};
    const Rows same = rows_of_matrix(stored.cast<double>(), "same");
    for (const Folds& folds : {Folds{}, stratified_folds(sample.targets, 4, 0)}) {
      const ScoreOptions options{.memory_limit = kPlenty};
      const auto in_float = score_model(
          {test::pool(), *float_rows(stored), sample.targets, folds, options, {}}, by_moments);
      const auto in_double =
          score_model({test::pool(), *same, sample.targets, folds, options, {}}, by_moments);
      for (std::size_t k = 0; k < by_moments.size(); ++k) {
        const double expected = in_double[k].score.value;
        EXPECT_NEAR(in_float[k].score.value, expected, 1e-6 * std::max(1.0, expected));
        for (std::size_t fold = 0; fold < in_double[k].replicates.size(); ++fold)
          EXPECT_NEAR(in_float[k].replicates[fold], in_double[k].replicates[fold],
                      1e-6 * std::max(1.0, expected));
      }
    }
  }
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

// H-scores of many classes are large: what float costs them is measured by their size, and a
// second pass, in double, is not needed for digits beyond the stated ones.
TEST(ScoreModel, HScoresOfManyClassesKeepTheirFloatProducts) {
  const test::Sample sample = test::blobs(40, 50, 510, 1.0);  // n D^2 > 5e8: float products pay
  const Eigen::MatrixXf stored = sample.features.cast<float>();
  const CountedRows rows(float_rows(stored));
  const std::vector<const Metric*> hscores = {&find_metric("hscore"),
                                              &find_metric("hscore_shrunk")};
  const ScoreOptions options{.memory_limit = kPlenty};
  const auto in_float = score_model({test::pool(), rows, sample.targets, {}, options, {}}, hscores);
  EXPECT_LT(rows.count(), 2 * rows.rows());
  const Rows same = rows_of_matrix(stored.cast<double>(), "same");
  const auto in_double =
      score_model({test::pool(), *same, sample.targets, {}, options, {}}, hscores);
  for (std::size_t k = 0; k < hscores.size(); ++k) {
    const double expected = in_double[k].score.value;
    EXPECT_GT(in_float[k].score.error, 5e-7) << "small enough without its size";
    EXPECT_NEAR(in_float[k].score.value, expected, 1e-6 * std::max(1.0, expected));
  }
}

class SeveralPasses : public testing::TestWithParam<Index> {};

TEST_P(SeveralPasses, GiveTheReplicatesOfOne) {
  const test::Sample sample = test::blobs(3, 200, 24, 2.0);
  const Folds folds = stratified_folds(sample.targets, 20, 1);
  const CountedRows rows(rows_of_matrix(sample.features, "features"));
  const MetricScore together = score(test::pool(), rows, sample.targets, folds,
                                     {.memory_limit = kPlenty, .closed_form = false});
  const Index read_once = rows.count();
  const MetricScore in_groups =
      score(test::pool(), rows, sample.targets, folds,
            {.memory_limit = kPlenty,
             .fold_memory = GetParam() * moments_bytes(rows.cols(), sample.targets.columns()),
             .closed_form = false});
  // The folds are read once more, whatever the number of groups they come in.
  EXPECT_GE(rows.count() - read_once, read_once + rows.rows());
  EXPECT_NEAR(in_groups.score.value, together.score.value, 1e-12);
  ASSERT_EQ(in_groups.replicates.size(), together.replicates.size());
  for (std::size_t fold = 0; fold < together.replicates.size(); ++fold) {
    EXPECT_NEAR(in_groups.replicates[fold], together.replicates[fold], 1e-12);
  }
}
INSTANTIATE_TEST_SUITE_P(Groups, SeveralPasses, testing::Values<Index>(1, 3, 7, 19));

TEST(ScoreModel, SaysWhenNotEvenOneFoldFits) {
  const test::Sample sample = test::blobs(3, 40, 24, 2.0);
  const Rows rows = rows_of_matrix(sample.features, "features");
  const Folds folds = stratified_folds(sample.targets, 20, 1);
  // Room for the block of rows and one fit, not for the fits of two threads.
  const ScoreOptions tight{.memory_limit = (Index{48} << 20) + 4 * moments_bytes(24, 3),
                           .closed_form = false};
  try {
    score(test::pool(), *rows, sample.targets, folds, tight);
    FAIL() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_THAT(error.what(),
                HasSubstr("features: scoring 24 dimensions and 3 target columns takes"));
    EXPECT_THAT(error.what(), HasSubstr("`memory_limit`"));
  }
  EXPECT_NO_THROW(score(test::pool(), *rows, sample.targets, {}, tight));
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

void expect_equal_bits(const Matrix& features, const Targets& targets) {
  ThreadPool one(1);
  ThreadPool three(3);
  const Rows rows = rows_of_matrix(features, "features");
  const Folds folds = stratified_folds(targets, 20, 1);
  const MetricScore a = score(one, *rows, targets, folds, {.memory_limit = kPlenty});
  const MetricScore b = score(three, *rows, targets, folds, {.memory_limit = kPlenty});
  EXPECT_EQ(a.score.value, b.score.value);
  EXPECT_EQ(a.replicates, b.replicates);
}

TEST(ScoreModel, DoesNotDependOnTheNumberOfThreads) {
  const test::Sample tall = test::blobs(5, 80, 150, 4.0);  // more than one stripe of columns
  expect_equal_bits(tall.features, tall.targets);
  const test::Sample wide = test::blobs(4, 70, 300, 8.0);  // more than one tile of samples
  expect_equal_bits(wide.features, wide.targets);
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
