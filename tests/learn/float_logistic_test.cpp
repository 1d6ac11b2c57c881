// Tests: learn/gram_preconditioner.
#include "learn/float_logistic.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "dense_logistic.h"
#include "support.h"

namespace assay {
namespace {

FloatMatrix rows_and_one(const Matrix& features) {
  FloatMatrix out(features.cols() + 1, features.rows());
  out.topRows(features.cols()) = features.transpose().cast<float>();
  out.bottomRows(1).setOnes();
  return out;
}

Matrix float_softmax(const FloatMatrix& logits) {
  Matrix out = logits.cast<double>();
  for (Index i = 0; i < out.cols(); ++i) {
    out.col(i) = (out.col(i).array() - out.col(i).maxCoeff()).exp();
    out.col(i) /= out.col(i).sum();
  }
  return out;
}

struct FloatFit {
  bool converged = false;
  FloatMatrix weights;
  Matrix probabilities;  // K x n
};

FloatFit fit_in_float(const FloatMatrix& z, const std::vector<Label>& labels, Index classes,
                      double strength, double tolerance, FloatMatrix start = {},
                      ThreadPool& pool = test::pool()) {
  GramPreconditioner preconditioner(pool, z, /*orthogonal=*/false);
  const FloatLogistic problem(pool, z, labels, classes, preconditioner, 1.0);
  FloatFit out;
  out.weights = std::move(start);
  out.converged = problem.descend(strength, tolerance, out.weights);
  out.probabilities = float_softmax(float_logits(pool, out.weights, z));
  return out;
}

// Newton's method on the dense Hessian in double; either side of the number of classes from which
// products go through BLAS.
TEST(FloatLogistic, FindsTheMinimum) {
  for (const Index classes : {3, 45}) {
    const test::Sample s = test::blobs(classes, classes == 3 ? 30 : 3, 4, 1.0);
    const FloatMatrix z = rows_and_one(s.features);
    for (const double strength : {1e-2, 1.0, 100.0}) {
      const FloatFit got = fit_in_float(z, s.targets.labels, classes, strength, 1e-9);
      const test::DenseLogistic dense = test::dense_logistic(
          s.features, s.targets.labels, classes, strength * static_cast<double>(s.features.rows()));
      EXPECT_TRUE(got.converged);
      EXPECT_LT((got.probabilities.transpose() - dense.probabilities).cwiseAbs().maxCoeff(), 2e-3)
          << classes << " classes, strength " << strength;
    }
  }
}

TEST(FloatLogistic, ForgetsWhereItBegan) {
  const test::Sample s = test::blobs(4, 25, 6, 1.0);
  const FloatMatrix z = rows_and_one(s.features);
  const FloatFit far = fit_in_float(z, s.targets.labels, 4, 1000.0, 1e-9);
  const FloatFit again = fit_in_float(z, s.targets.labels, 4, 0.1, 1e-9, far.weights);
  const FloatFit fresh = fit_in_float(z, s.targets.labels, 4, 0.1, 1e-9);
  EXPECT_GT((far.probabilities - fresh.probabilities).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LT((again.probabilities - fresh.probabilities).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(FloatLogistic, StopsWhereTheToleranceSays) {
  const test::Sample s = test::blobs(4, 50, 6, 1.0);
  const FloatMatrix z = rows_and_one(s.features);
  const auto value = [&](double tolerance) {
    const FloatFit fit = fit_in_float(z, s.targets.labels, 4, 10.0, tolerance);
    double sum = static_cast<double>(fit.weights.squaredNorm()) / 20.0;
    for (Index i = 0; i < z.cols(); ++i)
      sum -= std::log(fit.probabilities(s.targets.labels[static_cast<std::size_t>(i)], i));
    return sum / static_cast<double>(z.cols());
  };
  const double best = value(1e-9);
  EXPECT_GT(value(1e-1), best + 1e-4);
  EXPECT_NEAR(value(1e-5), best, 1e-4);
}

TEST(FloatLogistic, IsTheSameOnAnyNumberOfThreads) {
  const test::Sample s = test::blobs(5, 300, 8, 0.5);
  const FloatMatrix z = rows_and_one(s.features);
  ThreadPool one(1);
  ThreadPool three(3);
  EXPECT_EQ(fit_in_float(z, s.targets.labels, 5, 1.0, 1e-6, {}, one).weights,
            fit_in_float(z, s.targets.labels, 5, 1.0, 1e-6, {}, three).weights);
}

TEST(FloatLogistic, IsFiniteWhereThereIsNothingToLearn) {
  FloatMatrix z = FloatMatrix::Zero(3, 6);
  const FloatFit nothing = fit_in_float(z, {0, 1, 0, 1, 0, 1}, 2, 1.0, 1e-6);
  EXPECT_TRUE(nothing.converged);
  EXPECT_TRUE(nothing.probabilities.isApprox(Matrix::Constant(2, 6, 0.5), 1e-6));
  EXPECT_TRUE(fit_in_float(z, {0, 0, 0, 0, 0, 0}, 1, 1.0, 1e-6).weights.isZero());
  z.row(0).setLinSpaced(-1e4F, 1e4F);
  EXPECT_TRUE(fit_in_float(z, {0, 1, 0, 1, 0, 1}, 2, 1e3, 1e-6).weights.allFinite());
}

TEST(GramPreconditioner, IsTheInverse) {
  const Matrix x = test::gaussian(40, 7, 3);
  const FloatMatrix g = test::gaussian(7, 3, 4).cast<float>();
  GramPreconditioner dense(test::pool(), x.transpose().cast<float>(), /*orthogonal=*/false);
  dense.set(0.3, 2.0);
  const Matrix shifted = 0.3 * x.transpose() * x + 2.0 * Matrix::Identity(7, 7);
  EXPECT_LT(
      (dense.apply(g).cast<double>() - shifted.inverse() * g.cast<double>()).cwiseAbs().maxCoeff(),
      1e-5);
  GramPreconditioner diagonal(test::pool(), 2.0F * FloatMatrix::Identity(7, 7), true);
  diagonal.set(0.5, 3.0);
  EXPECT_TRUE(diagonal.apply(g).isApprox(g / 5.0F, 1e-6F));
}

}  // namespace
}  // namespace assay
