// Metrics on samples that are not held give what they give of samples that are.
// Tests: metrics/neighbour_scan, metrics/moments_of_samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/features.h"
#include "fixture.h"
#include "io/npy.h"
#include "metrics/knn.h"
#include "metrics/moments_of_samples.h"
#include "metrics/ncc_loo.h"
#include "metrics/neighbour_scan.h"
#include "metrics/ridge_loo.h"
#include "metrics/transrate.h"

namespace assay {
namespace {

constexpr Index kRoom = Index{1} << 30;

Samples streamed(const RowSource& rows, const std::vector<Label>& labels, Index memory = kRoom) {
  return {test::pool(), StreamedFeatures{&rows, nullptr, memory}, labels, 0};
}

// Floats in a file, and the same in memory.
struct FloatFile {
  explicit FloatFile(const Matrix& values) : held(values.transpose().cast<float>()) {
    write_npy(folder / "f.npy", {held.data(), static_cast<std::size_t>(held.size())}, held.rows());
    rows = open_features(folder / "f.npy");
  }

  Samples in_memory(const std::vector<Label>& labels) const {
    return {test::pool(), FloatFeatures(FloatView(held.data(), held.rows(), held.cols())), labels,
            0};
  }

  test::TemporaryDirectory folder;
  Eigen::MatrixXf held;
  Rows rows;
};

// Off centre, of uneven sizes, one feature constant.
test::Sample uneven(Index per_class, Index dim) {
  test::Sample s = test::blobs(4, per_class, dim, 2.5);
  for (Index j = 0; j < dim; ++j) {
    s.features.col(j) *= std::pow(1.5, static_cast<double>(j % 7) - 3.0);
    s.features.col(j).array() += static_cast<double>(j % 3);
  }
  s.features.col(1).setConstant(0.7);
  for (std::size_t i = 0; i < s.targets.labels.size(); i += 9) s.targets.labels[i] = 0;
  return s;
}

TEST(Streamed, ScoresOfDoublesAreThoseOfHeldSamples) {
  const test::Sample s = uneven(225, 24);
  const Rows rows = rows_of_matrix(s.features, "f");
  const Samples held = test::samples_of(s);
  const Samples far = streamed(*rows, s.targets.labels);
  const Score ridge = ridge_loo(far);  // no draw decides of so few: every penalty in one pass
  EXPECT_EQ(ridge.per_sample, ridge_loo(held).per_sample);
  EXPECT_EQ(ridge.details, ridge_loo(held).details);
  EXPECT_EQ(ncc_loo(far).per_sample, ncc_loo(held).per_sample);
  EXPECT_EQ(knn(far).per_sample, knn(held).per_sample);
  EXPECT_NEAR(transrate(far).value, transrate(held).value, 1e-9 * transrate(held).value);
}

TEST(Streamed, ScoresOfFloatFilesAreThoseOfHeldSamples) {
  const test::Sample s = uneven(1300, 320);  // many products: in float, the penalty by a draw
  const FloatFile file(s.features);
  const Samples held = file.in_memory(s.targets.labels);
  const Samples far = streamed(*file.rows, s.targets.labels);
  const Score ridge = ridge_loo(far);
  const Score expected = ridge_loo(held);
  EXPECT_GT(ridge.error, 0.0);
  EXPECT_EQ(ridge.details, expected.details);
  EXPECT_NEAR(ridge.value, expected.value, 1e-3);  // a few rows are that near to a tie
  EXPECT_NEAR(ncc_loo(far).value, ncc_loo(held).value, 1e-3);
  EXPECT_NEAR(transrate(far).value, transrate(held).value, 1e-6 * transrate(held).value);
}

TEST(Streamed, ClassesOfMoreSamplesThanDimensionsAndFewerHaveTheSameRate) {
  test::Sample s = uneven(60, 30);
  for (std::size_t i = 0; i < 20; ++i) s.targets.labels[i] = 7;  // a class of 20
  const Rows rows = rows_of_matrix(s.features, "f");
  const double expected = transrate(test::samples_of(s)).value;
  EXPECT_NEAR(transrate(streamed(*rows, s.targets.labels)).value, expected, 1e-9 * expected);
}

TEST(Streamed, NeighboursAreExactInSeveralPassesWithCopiesAndZeros) {
  test::Sample s = test::blobs(3, 900, 12, 3.0);
  for (Index i = 0; i < 300; ++i) s.features.row(2300 + i) = s.features.row(i % 5);
  s.features.row(1000).setZero();
  s.features.row(1500).setZero();
  const FloatFile file(s.features);
  const std::vector<double> expected = knn(file.in_memory(s.targets.labels)).per_sample;
  // Room for a tile of queries and little more: over twenty passes.
  const Index little = neighbour_scan_memory(12, test::pool().threads());
  EXPECT_EQ(knn(streamed(*file.rows, s.targets.labels, little)).per_sample, expected);
  EXPECT_EQ(knn(streamed(*file.rows, s.targets.labels)).per_sample, expected);
}

TEST(Streamed, NeighboursOfCollapsedFeaturesAreTheFirst) {
  const Matrix same = Matrix::Ones(3000, 6);
  const Rows rows = rows_of_matrix(same, "f");
  const std::vector<Label> labels(3000, 0);
  const std::vector<Index> queries = {0, 3, 2999};
  const std::vector<ScannedNeighbour> found =
      scan_for_neighbours(streamed(*rows, labels), queries, 3, kRoom);
  std::vector<Index> samples;
  for (const ScannedNeighbour& one : found) samples.push_back(one.sample);
  EXPECT_THAT(samples, testing::ElementsAre(1, 2, 3, 0, 1, 2, 0, 1, 2));
}

TEST(Streamed, ABadValueIsNamed) {
  Matrix values = test::gaussian(5000, 3, 1);
  values(4321, 2) = std::nan("");
  const Rows rows = rows_of_matrix(values, "f");
  const std::vector<Label> labels(5000, 0);
  EXPECT_THAT(test::error_of([&] { knn(streamed(*rows, labels)); }),
              testing::HasSubstr("row 4321, column 2"));
}

// The neighbours of every query are those among all samples; others are not told.
TEST(Streamed, SampledQueriesHaveTheirOwnOutcomesAndAStandardError) {
  const test::Sample s = test::blobs(5, 400, 10, 1.2);
  Samples all = test::samples_of(s);
  const std::vector<double> each = knn(all).per_sample;
  all.search_exactly_up_to(1000);
  const Score score = knn(all);
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (std::isnan(score.per_sample[i])) continue;
    EXPECT_EQ(score.per_sample[i], each[i]) << i;
    sum += each[i];
    count += 1.0;
  }
  EXPECT_EQ(count, 500.0);  // 1000^2 / 2000
  EXPECT_DOUBLE_EQ(score.value, sum / count);
  EXPECT_THAT(score.flags, testing::ElementsAre("sampled_queries"));
  const double p = score.value;
  EXPECT_THAT(score.details,
              testing::ElementsAre(
                  testing::Pair("queries", 500.0),
                  testing::Pair("standard_error",
                                testing::DoubleNear(std::sqrt(p * (1.0 - p) / 499.0), 1e-12))));
  const Rows rows = rows_of_matrix(s.features, "f");
  Samples far = streamed(*rows, s.targets.labels);
  far.search_exactly_up_to(1000);
  EXPECT_EQ(knn(far).value, score.value);
}

TEST(MomentsOfSamples, StandardiseLikeASecondPass) {
  test::Sample s = uneven(100, 9);
  s.features.col(4) *= 1e-9;
  s.features.col(5).array() += 1e6;
  const Rows rows = rows_of_matrix(s.features, "f");
  const Samples far = streamed(*rows, s.targets.labels);
  const Standardizer found = standardizer_of(*moments_of(far, Precision::double_products));
  const Standardizer expected = fit_standardizer(Matrix(s.features.transpose()));
  EXPECT_EQ(found.factor[1], 0.0);
  for (Index j = 0; j < 9; ++j) {
    EXPECT_NEAR(found.mean[j], expected.mean[j], 1e-12 * std::abs(expected.mean[j]) + 1e-20);
    EXPECT_NEAR(found.factor[j], expected.factor[j], 1e-9 * expected.factor[j]);
  }
}

}  // namespace
}  // namespace assay
