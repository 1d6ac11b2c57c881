#include "rank/score_by_moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "assay/error.h"
#include "data/moments_pass.h"
#include "scoring.h"

namespace assay {
namespace {

using test::kPlenty;
using test::score;
using testing::HasSubstr;

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
TEST(ScoreByMoments, FloatProductsAreTakenBackWhereTheyHideDirections) {
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

// H-scores of many classes are large: what float costs them is measured by their size, and a
// second pass, in double, is not needed for digits beyond the stated ones.
TEST(ScoreByMoments, HScoresOfManyClassesKeepTheirFloatProducts) {
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

TEST(ScoreByMoments, SaysWhenNotEvenOneFoldFits) {
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

TEST(ScoreByMoments, DoesNotDependOnTheNumberOfThreads) {
  const test::Sample tall = test::blobs(5, 80, 150, 4.0);  // more than one stripe of columns
  expect_equal_bits(tall.features, tall.targets);
  const test::Sample wide = test::blobs(4, 70, 300, 8.0);  // more than one tile of samples
  expect_equal_bits(wide.features, wide.targets);
}

}  // namespace
}  // namespace assay
