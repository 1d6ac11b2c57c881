// Tests: learn/ridge_space.
#include "metrics/ridge_loo.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "data/moments_pass.h"
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

struct Fits {
  std::array<double, kPenalties.size()> errors{};  // leave-one-out, squared
  std::vector<std::vector<double>> right;
};

// The closed form in eigenvectors, under every penalty and for all samples: the textbook's.
Fits closed_form(const Matrix& features, const std::vector<Label>& labels, Index classes) {
  const Matrix z = standardized(features);
  const auto n = static_cast<double>(z.rows());
  Matrix y = Matrix::Zero(z.rows(), classes);
  for (Index i = 0; i < z.rows(); ++i) y(i, labels[static_cast<std::size_t>(i)]) = 1.0;
  const Matrix centered = y.rowwise() - y.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(z.transpose() * z);
  const Matrix rotated = z * eigen.eigenvectors();
  Fits out;
  for (std::size_t k = 0; k < kPenalties.size(); ++k) {
    const Vector shrink = (eigen.eigenvalues().array() + kPenalties[k] * n).inverse();
    const Vector left =
        (1.0 - 1.0 / n - (rotated.cwiseAbs2() * shrink).array()).max(1e-12).matrix();
    const Matrix residuals =
        left.cwiseInverse().asDiagonal() *
        (centered - rotated * (shrink.asDiagonal() * (rotated.transpose() * centered)));
    out.errors[k] = residuals.squaredNorm();
    out.right.emplace_back();
    for (Index i = 0; i < z.rows(); ++i) {
      Index winner = 0;
      (y.row(i) - residuals.row(i)).maxCoeff(&winner);
      out.right.back().push_back(winner == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0);
    }
  }
  return out;
}

// Samples enough for a draw of them to choose the penalty.
void expect_closed_form(const Matrix& features, const std::vector<Label>& labels, Index classes) {
  ASSERT_GE(features.rows(), 4096);
  const Fits expected = closed_form(features, labels, classes);
  const auto best = static_cast<std::size_t>(
      std::min_element(expected.errors.begin(), expected.errors.end()) - expected.errors.begin());
  const Score score = ridge_loo(test::samples_of(features, labels));
  EXPECT_EQ(score.details.front().second, kPenalties[best]);
  EXPECT_EQ(score.per_sample, expected.right[best]);
  const Eigen::MatrixXf floats = features.transpose().cast<float>();
  const Score rough = ridge_loo(Samples(test::pool(), FloatFeatures(floats), labels, 0));
  EXPECT_EQ(rough.details, score.details);
}

TEST(RidgeLoo, OfManySamplesEqualsTheClosedFormOfAll) {
  for (const double spread : {0.8, 4.0, 12.0}) {
    const test::Sample s = test::blobs(6, 700, 40, spread);
    expect_closed_form(s.features, s.targets.labels, 6);
  }
  expect_closed_form(test::gaussian(4200, 60, 3), test::blobs(6, 700, 2, 1.0).targets.labels, 6);
}

// Samples of very different size: 512 of them tell nothing of the others.
TEST(RidgeLoo, OfManySamplesWithHeavyTailsEqualsTheClosedFormOfAll) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    test::Sample s = test::blobs(4, 1100, 30, 5.0);
    const Matrix size = test::gaussian(s.features.rows(), 1, seed);
    for (Index i = 0; i < s.features.rows(); ++i) s.features.row(i) *= std::exp(1.5 * size(i, 0));
    expect_closed_form(s.features, s.targets.labels, 4);
  }
}

// Nearly all of the error is that of five samples.
TEST(RidgeLoo, OfManySamplesSeesARareClass) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Matrix features = test::gaussian(4300, 20, seed);
    std::vector<Label> labels(4300, 0);
    for (const std::size_t rare : {7, 1000, 1001, 2500, 4200}) labels[rare] = 1;
    expect_closed_form(features, labels, 2);
  }
}

// A sample far out on the wrong side. The draw, which misses it in most places, is sure of a
// penalty that this one sample does not bear.
TEST(RidgeLoo, OfManySamplesSeesTheOneThatWeighsMost) {
  for (const double spread : {0.8, 4.0}) {
    for (const Index place : {0, 1000, 2345, 4000}) {
      test::Sample s = test::blobs(6, 700, 40, spread);
      s.features.row(place) *= -8.0;
      expect_closed_form(s.features, s.targets.labels, 6);
    }
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
