#include "assay/metrics/ridge_loo.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "assay/data/moments_pass.h"
#include "fixture.h"

namespace assay {
namespace {

constexpr std::array kPenalties = {1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 10.0, 100.0};

Matrix standardized(const Matrix& features) {  // n x D
  Matrix out = features.rowwise() - features.colwise().mean();
  for (Index j = 0; j < out.cols(); ++j) {
    const double deviation = out.col(j).norm() / std::sqrt(static_cast<double>(out.rows()));
    if (deviation > 1e-12) {
      out.col(j) /= deviation;
    } else {
      out.col(j).setZero();
    }
  }
  return out;
}

struct Refits {
  double penalty = 0.0;
  std::vector<double> right;
};

// Drops each sample in turn, solves ridge regression with a free intercept anew.
Refits brute_force(const Matrix& features, const std::vector<Label>& labels, Index classes) {
  const Matrix z = standardized(features);
  const Index n = z.rows();
  const Index dim = z.cols();
  Matrix x = Matrix::Ones(n, dim + 1);
  x.leftCols(dim) = z;
  Matrix y = Matrix::Zero(n, classes);
  for (Index i = 0; i < n; ++i) y(i, labels[static_cast<std::size_t>(i)]) = 1.0;
  Refits best;
  double least = 1e300;
  for (const double penalty : kPenalties) {
    double squares = 0.0;
    std::vector<double> right;
    for (Index i = 0; i < n; ++i) {
      Matrix a = x.transpose() * x - x.row(i).transpose() * x.row(i);
      a.diagonal().head(dim).array() += penalty * static_cast<double>(n);
      const Matrix b = x.transpose() * y - x.row(i).transpose() * y.row(i);
      const Vector predicted = (x.row(i) * a.ldlt().solve(b)).transpose();
      squares += (y.row(i).transpose() - predicted).squaredNorm();
      Index winner = 0;
      predicted.maxCoeff(&winner);
      right.push_back(winner == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0);
    }
    if (squares < least) {
      least = squares;
      best = {penalty, right};
    }
  }
  return best;
}

void expect_refits(const Matrix& features, const std::vector<Label>& labels, Index classes) {
  const Refits expected = brute_force(features, labels, classes);
  const Score score = ridge_loo(test::samples_of(features, labels));
  EXPECT_EQ(score.per_sample, expected.right);
  EXPECT_EQ(score.details.front().second, expected.penalty);
}

TEST(RidgeLoo, EqualsRefitsWithoutEachSample) {
  for (const double spread : {0.7, 3.0}) {
    const test::Sample tall = test::blobs(4, 15, 8, spread);
    expect_refits(tall.features, tall.targets.labels, 4);
    const test::Sample wide = test::blobs(3, 8, 60, 2.0 * spread);
    expect_refits(wide.features, wide.targets.labels, 3);
    const test::Sample square = test::blobs(3, 8, 24, spread);
    expect_refits(square.features, square.targets.labels, 3);
  }
}

TEST(RidgeLoo, EqualsRefitsOfNoise) {
  const test::Sample labels = test::blobs(3, 12, 2, 1.0);
  expect_refits(test::gaussian(36, 7, 5), labels.targets.labels, 3);
  expect_refits(test::gaussian(36, 50, 6), labels.targets.labels, 3);
}

TEST(RidgeLoo, EqualsRefitsOfDuplicatedAndConstantColumns) {
  for (const Index dim : {8, 60}) {
    test::Sample s = test::blobs(3, 10, dim, 2.0);
    s.features.col(1) = s.features.col(0);
    s.features.col(2).setConstant(0.1);
    s.features.col(3).setZero();
    expect_refits(s.features, s.targets.labels, 3);
  }
}

TEST(RidgeLoo, EqualsRefitsWithAClassOfOne) {
  test::Sample s = test::blobs(3, 10, 5, 1.0);
  s.targets.labels[4] = 3;
  expect_refits(s.features, s.targets.labels, 4);
}

TEST(RidgeLoo, EqualsRefitsAcrossTiles) {
  const test::Sample s = test::blobs(3, 100, 5, 3.0);
  expect_refits(s.features, s.targets.labels, 3);
}

// Large enough for float products (n D^2 > 5e8), with and without the moments of a pass. Noise
// enough that many samples are decided narrowly.
TEST(RidgeLoo, OfFloatsIsThatOfTheSameNumbersInDouble) {
  const test::Sample s = test::blobs(5, 500, 480, 12.0);
  const Eigen::MatrixXf floats = s.features.transpose().cast<float>();
  const Matrix same = floats.cast<double>();
  const Score expected = ridge_loo(test::samples_of(same.transpose(), s.targets.labels));
  ASSERT_GT(expected.value, 0.3);
  ASSERT_LT(expected.value, 0.95);
  const std::vector<Index> all(2500, 0);
  const MomentsPass pass = accumulate_moments(test::pool(), *rows_of_matrix(same.transpose(), "f"),
                                              s.targets, all, 1, {});
  for (const auto& moments :
       {std::shared_ptr<const Moments>(), std::make_shared<const Moments>(pass.buckets.front())}) {
    const Score score =
        ridge_loo(Samples(test::pool(), FloatFeatures(floats, moments), s.targets.labels, 0));
    EXPECT_EQ(score.details, expected.details);
    EXPECT_EQ(score.per_sample, expected.per_sample);
  }
}

TEST(RidgeLoo, IgnoresTheScaleAndShiftOfEachFeature) {
  for (const Index dim : {6, 60}) {
    const test::Sample s = test::blobs(3, 12, dim, 2.5);
    const Score plain = ridge_loo(test::samples_of(s));
    Matrix changed = s.features;
    for (Index j = 0; j < dim; ++j) {
      changed.col(j).array() += 3.0 * static_cast<double>(j);
      changed.col(j) *= std::pow(10.0, static_cast<double>(j % 61) - 30.0);
    }
    const Score other = ridge_loo(test::samples_of(changed, s.targets.labels));
    EXPECT_EQ(other.per_sample, plain.per_sample);
    EXPECT_EQ(other.details, plain.details);
  }
}

// Without features the majority of the others decides: always another class when balanced.
TEST(RidgeLoo, OfConstantFeaturesIsTheVoteOfTheOthers) {
  EXPECT_EQ(ridge_loo(test::samples_of(Matrix::Ones(10, 3), {0, 0, 0, 0, 0, 1, 1, 1, 1, 1})).value,
            0.0);
  EXPECT_EQ(ridge_loo(test::samples_of(Matrix::Ones(10, 3), {0, 0, 0, 0, 0, 0, 0, 0, 1, 1})).value,
            0.8);
}

TEST(RidgeLoo, IsOneForFarClasses) {
  EXPECT_EQ(ridge_loo(test::samples_of(test::blobs(4, 20, 10, 0.05))).value, 1.0);
}

}  // namespace
}  // namespace assay
