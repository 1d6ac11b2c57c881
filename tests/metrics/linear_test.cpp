// Tests: metrics/linear_valid, metrics/dealt_folds.
#include "metrics/linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "dense_logistic.h"
#include "fixture.h"
#include "metrics/pactran.h"

namespace assay {
namespace {

TEST(Linear, IsTheDenseObjectiveForThreePenalties) {
  for (const Index dim : {5, 40}) {  // n = 30: either side
    const test::Sample s = test::blobs(3, 10, dim, 2.0);
    const Score score = linear(test::samples_of(s));
    ASSERT_EQ(score.variants.size(), 3U);
    EXPECT_TRUE(score.flags.empty());
    std::size_t k = 0;
    for (const double beta : {3.0, 30.0, 300.0}) {
      const double expected = test::dense_logistic(s.features, s.targets.labels, 3, beta).value();
      EXPECT_NEAR(score.variants[k++], expected, 1e-10);
    }
    EXPECT_NEAR(score.variants[2], pactran_gauss(test::samples_of(s)).details[0].second, 1e-10);
  }
}

TEST(Linear, OfConstantFeaturesIsTheEntropyOfBalancedLabels) {
  const Score score = linear(test::samples_of(
      Matrix::Constant(12, 3, 2.0), std::vector<Label>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  for (const double value : score.variants) EXPECT_NEAR(value, std::log(4.0), 1e-12);
  EXPECT_TRUE(score.flags.empty());
}

struct Halves {
  std::vector<Index> train;
  std::vector<Index> test;
};

// As the contract has it: each class in the order of the seeded permutation, dealt in turn.
Halves halves_of(const std::vector<Label>& labels, Label classes, std::uint64_t seed) {
  const std::vector<Index> order = Random(seed).permutation(static_cast<Index>(labels.size()));
  Halves out;
  bool to_train = true;
  for (Label c = 0; c < classes; ++c) {
    for (const Index row : order) {
      if (labels[static_cast<std::size_t>(row)] != c) continue;
      (to_train ? out.train : out.test).push_back(row);
      to_train = !to_train;
    }
  }
  return out;
}

// Errors of every penalty on the second half, trained on the first.
std::vector<std::vector<double>> errors_on(const test::Sample& s, Label classes,
                                           const Halves& halves) {
  const Matrix train = s.features(halves.train, Eigen::all);
  const Eigen::RowVectorXd mean = train.colwise().mean();
  const Eigen::RowVectorXd deviation =
      ((train.rowwise() - mean).array().square().colwise().mean()).sqrt();
  const auto standardized = [&](const Matrix& rows) {
    return Matrix((rows.rowwise() - mean).array().rowwise() / deviation.array());
  };
  std::vector<Label> labels;
  for (const Index row : halves.train)
    labels.push_back(s.targets.labels[static_cast<std::size_t>(row)]);
  std::vector<std::vector<double>> out;
  for (const double share : {0.1, 1.0, 10.0}) {
    const test::DenseLogistic fit = test::dense_logistic(
        standardized(train), labels, classes, share * static_cast<double>(halves.train.size()));
    const Matrix scores =
        (standardized(s.features(halves.test, Eigen::all)) * fit.theta.topRows(s.features.cols()))
            .rowwise() +
        fit.theta.bottomRows(1).row(0);
    std::vector<double> wrong;
    for (Index i = 0; i < scores.rows(); ++i) {
      const auto row = static_cast<std::size_t>(halves.test[static_cast<std::size_t>(i)]);
      Index winner = 0;
      scores.row(i).maxCoeff(&winner);
      wrong.push_back(winner == s.targets.labels[row] ? 0.0 : 1.0);
    }
    out.push_back(wrong);
  }
  return out;
}

std::size_t fewest_errors(const std::vector<std::vector<double>>& errors) {
  std::size_t best = 0;
  const auto total = [&](std::size_t k) {
    return std::accumulate(errors[k].begin(), errors[k].end(), 0.0);
  };
  for (std::size_t k = 1; k < errors.size(); ++k) best = total(k) < total(best) ? k : best;
  return best;
}

TEST(LinearValid, EqualsDenseFitsOnBothHalves) {
  for (const Index dim : {4, 30}) {  // 24 training rows: either side
    const test::Sample s = test::blobs(3, 16, dim, 3.0);
    for (const std::uint64_t seed : {0U, 1U, 2U}) {
      const Score score = linear_valid(test::samples_of(s, seed));
      const Halves halves = halves_of(s.targets.labels, 3, seed);
      const auto forth = errors_on(s, 3, halves);
      const auto back = errors_on(s, 3, {halves.test, halves.train});
      // No row has a say in the penalty it is judged by.
      const std::vector<double>& on_test = forth[fewest_errors(back)];
      const std::vector<double>& on_train = back[fewest_errors(forth)];
      for (std::size_t i = 0; i < on_test.size(); ++i)
        EXPECT_EQ(score.per_sample[static_cast<std::size_t>(halves.test[i])], on_test[i]);
      for (std::size_t i = 0; i < on_train.size(); ++i)
        EXPECT_EQ(score.per_sample[static_cast<std::size_t>(halves.train[i])], on_train[i]);
    }
  }
}

TEST(LinearValid, IsZeroForFarClasses) {
  for (const Index dim : {10, 200})
    EXPECT_EQ(linear_valid(test::samples_of(test::blobs(4, 20, dim, 0.05))).value, 0.0);
}

// 1000 test rows of four classes: 0.75, standard deviation 0.014; the best of three penalties sits
// a little lower.
TEST(LinearValid, IsNearChanceForNoise) {
  std::vector<Label> labels;
  for (Label i = 0; i < 2000; ++i) labels.push_back(i % 4);
  const double value = linear_valid(test::samples_of(test::gaussian(2000, 10, 3), labels)).value;
  EXPECT_GT(value, 0.69);
  EXPECT_LT(value, 0.80);
}

TEST(LinearValid, TestsEveryRowOnce) {
  std::vector<Label> labels;
  for (Label i = 0; i < 101; ++i) labels.push_back(i * i % 7 % 4);
  const Score score = linear_valid(test::samples_of(test::gaussian(101, 5, 3), labels));
  ASSERT_EQ(score.per_sample.size(), 101U);
  double sum = 0.0;
  for (const double wrong : score.per_sample) sum += wrong;
  EXPECT_NEAR(score.value, sum / 101.0, 1e-15);
}

TEST(LinearValid, IgnoresTheScaleAndShiftOfEachFeature) {
  const test::Sample s = test::blobs(3, 20, 6, 3.0);
  Matrix changed = s.features;
  for (Index j = 0; j < 6; ++j)
    changed.col(j) =
        (changed.col(j).array() + 5.0) * std::pow(10.0, 12.0 * static_cast<double>(j) - 30.0);
  EXPECT_EQ(linear_valid(test::samples_of(changed, s.targets.labels)).value,
            linear_valid(test::samples_of(s)).value);
}

TEST(LinearValid, OfTwoRowsIsWrongAboutBoth) {  // each was taught the other's class alone
  const Score score = linear_valid(test::samples_of(Matrix{{1.0, 2.0}, {3.0, 5.0}}, {0, 1}));
  EXPECT_EQ(score.value, 1.0);
  EXPECT_EQ(score.per_sample, (std::vector<double>{1.0, 1.0}));
}

}  // namespace
}  // namespace assay
