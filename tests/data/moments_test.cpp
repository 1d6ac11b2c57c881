#include "data/moments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/moments_pass.h"
#include "data/row_kernel.h"
#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

Matrix lower(const Matrix& m) { return m.triangularView<Eigen::Lower>(); }

std::vector<Moments> pass_over(const Matrix& features, const Targets& targets,
                               const std::vector<Index>& bucket, Index buckets) {
  return accumulate_moments(test::pool(), *rows_of_matrix(features, "f"), targets, bucket, buckets,
                            {})
      .buckets;
}

void expect_equal(const SecondMoments& got, const Matrix& features, const Matrix& targets) {
  const Matrix gram = features.transpose() * features;
  const Matrix cross = features.transpose() * targets;
  EXPECT_LT((lower(got.gram) - lower(gram)).norm(), 1e-11 * (1.0 + gram.norm()));
  EXPECT_LT((got.cross - cross).norm(), 1e-11 * (1.0 + cross.norm()));
  EXPECT_LT((got.target_square - Vector(targets.colwise().squaredNorm().transpose())).norm(),
            1e-10);
}

TEST(Moments, GiveTheSumsAboutTheOriginAndAboutTheMeans) {
  const Matrix features = test::gaussian(300, 11, 1).array() + 5.0;
  const Matrix targets = test::gaussian(300, 2, 2).array() - 1.0;
  const Moments m =
      pass_over(features, test::value_targets(targets), std::vector<Index>(300, 0), 1).front();
  EXPECT_EQ(m.count, 300);
  expect_equal(second_moments(m, false), features, targets);
  const Matrix centred = features.rowwise() - features.colwise().mean();
  expect_equal(second_moments(m, true), centred, targets.rowwise() - targets.colwise().mean());
}

TEST(Moments, SumClassesWithoutOneHotColumns) {
  const test::Sample s = test::blobs(4, 25, 6, 1.0);
  const Moments m = pass_over(s.features, s.targets, std::vector<Index>(100, 0), 1).front();
  Matrix one_hot = Matrix::Zero(100, 4);
  for (Index i = 0; i < 100; ++i) one_hot(i, s.targets.labels[static_cast<std::size_t>(i)]) = 1.0;
  expect_equal(second_moments(m, false), s.features, one_hot);
  EXPECT_EQ(m.target_sum, Vector::Constant(4, 25.0));
}

TEST(Moments, OfBucketsAddUpAndSubtract) {
  const test::Sample s = test::blobs(3, 40, 5, 1.0);
  std::vector<Index> bucket(120);
  for (std::size_t i = 0; i < bucket.size(); ++i)
    bucket[i] = static_cast<Index>(i * 7 % 5) - 1;  // -1: left out
  std::vector<Moments> parts = pass_over(s.features, s.targets, bucket, 4);
  Moments total = parts[0];
  for (std::size_t b = 1; b < 4; ++b) total += parts[b];
  EXPECT_EQ(total.count, 96);
  std::vector<Index> kept;
  std::vector<Index> kept_without_two;
  for (Index i = 0; i < 120; ++i) {
    if (bucket[static_cast<std::size_t>(i)] < 0) continue;
    kept.push_back(i);
    if (bucket[static_cast<std::size_t>(i)] != 2) kept_without_two.push_back(i);
  }
  Matrix one_hot = Matrix::Zero(120, 3);
  for (Index i = 0; i < 120; ++i) one_hot(i, s.targets.labels[static_cast<std::size_t>(i)]) = 1.0;
  expect_equal(second_moments(total, false), s.features(kept, Eigen::all),
               one_hot(kept, Eigen::all));
  total -= parts[2];
  expect_equal(second_moments(total, false), s.features(kept_without_two, Eigen::all),
               one_hot(kept_without_two, Eigen::all));
}

TEST(Moments, AreBitEqualForAnyNumberOfThreads) {
  const test::Sample s = test::blobs(3, 400, 150, 1.0);
  const std::vector<Index> bucket(1200, 0);
  const auto with_threads = [&](int threads) {
    ThreadPool pool(threads);
    return accumulate_moments(pool, *rows_of_matrix(s.features, "f"), s.targets, bucket, 1, {})
        .buckets.front();
  };
  const Moments alone = with_threads(1);
  const Moments several = with_threads(3);
  EXPECT_TRUE(lower(alone.gram) == lower(several.gram));
  EXPECT_TRUE(alone.cross == several.cross);
}

TEST(Moments, NameTheFirstValueThatIsNotFinite) {
  Matrix features = test::gaussian(200, 9, 1);
  features(117, 4) = std::numeric_limits<double>::quiet_NaN();
  const Targets targets = test::value_targets(test::gaussian(200, 1, 2));
  EXPECT_THAT(test::error_of([&] { pass_over(features, targets, std::vector<Index>(200, 0), 1); }),
              HasSubstr("f: row 117, column 4 is NaN"));
  features(117, 4) = -std::numeric_limits<double>::infinity();
  EXPECT_THAT(test::error_of([&] { pass_over(features, targets, std::vector<Index>(200, 0), 1); }),
              HasSubstr("row 117, column 4 is infinite"));
  EXPECT_THAT(
      test::error_of([&] { row_kernel(test::pool(), *rows_of_matrix(features, "g"), 1 << 30); }),
      HasSubstr("g: row 117, column 4 is infinite"));
}

TEST(RowKernel, IsTheSameInOnePanelAndInMany) {
  const Matrix features = test::gaussian(60, 200, 3);
  const Rows rows = rows_of_matrix(features, "f");
  const Matrix expected = features * features.transpose();
  const Index few_rows = 4 * 8 * 60 * 60 + 100000;  // panels of 16 rows or so
  for (const Index memory : {Index{1} << 30, few_rows, 2 * few_rows}) {
    EXPECT_LT((lower(row_kernel(test::pool(), *rows, memory).gram) - lower(expected)).norm(), 1e-10)
        << memory;
  }
  EXPECT_THAT(test::error_of([&] { row_kernel(test::pool(), *rows, 1000); }),
              HasSubstr("raise `memory_limit`"));
}

}  // namespace
}  // namespace assay
