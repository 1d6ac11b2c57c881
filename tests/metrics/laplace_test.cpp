#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>

#include "dense_logistic.h"
#include "fixture.h"
#include "metrics/linear.h"

namespace assay {
namespace {

// The formula of linear.h in the features' coordinates, P = (D + 1) K, nats per sample.
double dense_evidence(const test::Sample& s, Index classes, double log_delta) {
  const auto n = static_cast<double>(s.features.rows());
  const double delta = std::exp(log_delta);
  const test::DenseLogistic fit =
      test::dense_logistic(s.features, s.targets.labels, classes, n / delta);
  Matrix h = fit.hessian();
  const auto weights = static_cast<double>(h.rows());
  h.diagonal().array() += delta;
  const double log_det = 2.0 * Matrix(h.llt().matrixL()).diagonal().array().log().sum();
  return (-n * fit.loss - 0.5 * delta * fit.theta.squaredNorm() + 0.5 * weights * log_delta -
          0.5 * log_det) /
         n;
}

// The best of a fine grid of log precisions, refined about its best node.
double brute_force(const test::Sample& s, Index classes) {
  double best = -1e300;
  double at = 0.0;
  for (double log_delta = -12.0; log_delta <= 16.0; log_delta += 0.25) {
    const double value = dense_evidence(s, classes, log_delta);
    if (value > best) {
      best = value;
      at = log_delta;
    }
  }
  for (double offset = -0.25; offset <= 0.25; offset += 0.01)
    best = std::max(best, dense_evidence(s, classes, at + offset));
  return best;
}

void expect_brute_force(const test::Sample& s, Index classes) {
  const Score score = laplace(test::samples_of(s));
  EXPECT_NEAR(score.value, brute_force(s, classes), 1e-6);
  EXPECT_TRUE(score.flags.empty());
  const double log_delta = std::log(score.details.front().second);
  EXPECT_EQ(score.details.front().first, "precision");
  EXPECT_NEAR(score.value, dense_evidence(s, classes, log_delta), 1e-7);
}

TEST(Laplace, IsTheLargestDenseEvidence) {
  for (const double spread : {0.1, 0.3, 1.0}) expect_brute_force(test::blobs(3, 12, 3, spread), 3);
  expect_brute_force(test::blobs(3, 60, 3, 2.0), 3);
}

TEST(Laplace, IsTheLargestDenseEvidenceOfFewSamples) {
  for (const double spread : {0.3, 1.5}) expect_brute_force(test::blobs(3, 4, 14, spread), 3);
}

// The best prior precision is infinite, where the evidence is that of no features at all; the
// search ends just before.
TEST(Laplace, OfNoiseIsTheEvidenceWithoutFeatures) {
  test::Sample s = test::blobs(3, 12, 4, 1.0);
  s.features = test::gaussian(36, 4, 8);
  EXPECT_LT(brute_force(s, 3), -std::log(3.0) + 1e-12);
  const double value = laplace(test::samples_of(s)).value;
  EXPECT_LT(value, -std::log(3.0));
  EXPECT_GT(value, -std::log(3.0) - 1e-4);
}

TEST(Laplace, IsTheLargestDenseEvidenceOfUnevenClasses) {
  test::Sample s = test::blobs(2, 15, 3, 1.0);
  for (std::size_t i = 0; i < 20; ++i) s.targets.labels[i] = 0;
  s.features.topRows(20) = test::gaussian(20, 3, 8);
  expect_brute_force(s, 2);
}

TEST(Laplace, IsTheLargestDenseEvidenceOfScaledFeatures) {
  test::Sample s = test::blobs(3, 12, 3, 1.0);
  s.features *= 10.0;
  expect_brute_force(s, 3);
  s.features.array() += 3.0;
  expect_brute_force(s, 3);
}

TEST(Laplace, IsTheLargestDenseEvidenceOfDependentFeatures) {
  test::Sample s = test::blobs(3, 12, 4, 1.0);
  s.features.col(3) = s.features.col(0);
  s.features.col(2).setZero();
  expect_brute_force(s, 3);
}

// The large feature that says little asks for a strong prior, the small one for a weak prior: two
// maxima, the stronger prior's found first.
TEST(Laplace, FindsTheBetterOfTwoMaxima) {
  test::Sample s = test::blobs(3, 15, 3, 0.3);
  s.features.col(0) = 100.0 * test::gaussian(45, 1, 5);
  s.features.col(2) *= 0.1;
  EXPECT_GT(dense_evidence(s, 3, 13.0), dense_evidence(s, 3, 7.0));
  EXPECT_GT(dense_evidence(s, 3, -4.0), dense_evidence(s, 3, 13.0));
  expect_brute_force(s, 3);
}

TEST(Laplace, NeverBeatsCertainty) {
  EXPECT_LE(laplace(test::samples_of(test::blobs(3, 30, 10, 0.01))).value, 0.0);
  // Features that say nothing: no better than the entropy of the labels.
  EXPECT_LE(
      laplace(test::samples_of(Matrix::Ones(12, 2), {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2})).value,
      -std::log(3.0));
}

// log |I + A x B / delta| with A the squared singular values of [F, 1], B the mean of diag p - p
// p'.
TEST(Laplace, UsesKroneckerFactorsOfLargeHessians) {
  const test::Sample s = test::blobs(6, 20, 150, 3.0);  // rank 120 times 6 classes
  const Samples samples = test::samples_of(s);
  const Score score = laplace(samples);
  EXPECT_EQ(score.flags, std::vector<std::string>{"kronecker"});
  EXPECT_LE(score.value, 0.0);
  Matrix x = Matrix::Ones(120, 151);
  x.leftCols(150) = s.features;
  const Vector spectrum = Eigen::BDCSVD<Matrix>(x).singularValues().cwiseAbs2();
  const auto at = [&](double delta) {
    const LogisticFit& fit = samples.logistic(120.0 / delta);
    const Matrix p = logistic_probabilities(test::pool(), fit.weights, samples.row_space().z);
    Matrix mean = -p * p.transpose() / 120.0;
    mean.diagonal() += p.rowwise().mean();
    const Vector outputs = Eigen::SelfAdjointEigenSolver<Matrix>(mean).eigenvalues().cwiseMax(0.0);
    const double log_det = (1.0 + (spectrum * outputs.transpose()).array() / delta).log().sum();
    return -fit.loss - fit.penalty - 0.5 * log_det / 120.0;
  };
  const double precision = score.details.front().second;
  EXPECT_NEAR(score.value, at(precision), 1e-7);
  for (const double factor : {0.1, 0.5, 0.9, 1.1, 2.0, 10.0})
    EXPECT_GT(score.value, at(factor * precision)) << factor;
}

}  // namespace
}  // namespace assay
