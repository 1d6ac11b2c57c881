#include "metrics/ridge_smoother.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>

#include "fixture.h"

namespace assay {
namespace {

constexpr std::array kSomePenalties = {0.3, 20.0, 4000.0};

// Every residual and share by the smoothing matrix itself.
struct Dense {
  Matrix residuals;  // C x n
  Vector shares;
};

Dense dense(const test::Sample& s, Index classes, double penalty) {
  Matrix z = s.features.rowwise() - s.features.colwise().mean();
  for (Index j = 0; j < z.cols(); ++j)
    z.col(j) *= std::sqrt(static_cast<double>(z.rows())) / z.col(j).norm();
  const Index n = z.rows();
  Matrix y = Matrix::Zero(n, classes);
  for (Index i = 0; i < n; ++i) y(i, s.targets.labels[static_cast<std::size_t>(i)]) = 1.0;
  y = y.rowwise() - y.colwise().mean();
  Matrix ridge = z.transpose() * z;
  ridge.diagonal().array() += penalty;
  const Matrix smoother = z * ridge.llt().solve(z.transpose());
  return {(y - smoother * y).transpose(),
          Vector::Constant(n, 1.0 - 1.0 / static_cast<double>(n)) - smoother.diagonal()};
}

class RidgeSmootherSides : public testing::TestWithParam<Index> {};  // the dimension

TEST_P(RidgeSmootherSides, AllWaysLeadToTheSmoothingMatrix) {
  const test::Sample s = test::blobs(3, 30, GetParam(), 3.0);
  const Samples samples = test::samples_of(s);
  RidgeSmoother<double> smoother(samples, samples.features());
  const std::vector<Index> some = {7, 0, 89, 31, 32};
  const RidgeSmoother<double>::Surveyed seen = smoother.survey(some, kSomePenalties);
  const Matrix shares = smoother.shares_left(kSomePenalties);
  for (std::size_t k = 0; k < kSomePenalties.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const Dense expected = dense(s, 3, kSomePenalties[k]);
    EXPECT_LT((shares.row(row).transpose() - expected.shares).norm(), 1e-11);
    EXPECT_NEAR(seen.totals[row], expected.residuals.squaredNorm(), 1e-10);
    EXPECT_NEAR(smoother.residual_squares(kSomePenalties[k]), seen.totals[row], 1e-12);
    const RidgeSmoother<double>::Fit fit = smoother.fit(kSomePenalties[k]);
    EXPECT_LT((smoother.residuals(fit, every_sample(90)) - expected.residuals).norm(), 1e-11);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto column = static_cast<Index>(i);
      EXPECT_NEAR(seen.shares(row, column), expected.shares[some[i]], 1e-12);
      EXPECT_NEAR(seen.squares(row, column), expected.residuals.col(some[i]).squaredNorm(), 1e-11);
    }
  }
}

TEST_P(RidgeSmootherSides, TheFactorOfOnePenaltyLeavesTheSame) {
  const test::Sample s = test::blobs(3, 30, GetParam(), 3.0);
  const Samples samples = test::samples_of(s);
  for (const double penalty : kSomePenalties) {
    const Dense expected = dense(s, 3, penalty);
    RidgeSmoother<double> smoother(samples, samples.features());
    const Matrix factor = smoother.factor(penalty);
    const auto left = smoother.leave_out(smoother.fit(penalty), factor, every_sample(90));
    EXPECT_LT((left.residuals - expected.residuals).norm(), 1e-11);
    EXPECT_LT((left.shares - expected.shares).norm(), 1e-11);
  }
}

INSTANTIATE_TEST_SUITE_P(TallAndWide, RidgeSmootherSides, testing::Values(12, 90, 200));

TEST(RidgeSmoother, OfFloatsComesToTheSame) {
  const test::Sample s = test::blobs(3, 50, 20, 3.0);
  const Eigen::MatrixXf floats = s.features.transpose().cast<float>();
  const Samples samples(test::pool(), FloatFeatures(floats), s.targets.labels, 0);
  for (const double penalty : kSomePenalties) {
    const Dense expected = dense(s, 3, penalty);
    RidgeSmoother<float> smoother(samples, floats);
    const Eigen::MatrixXf factor = smoother.factor(penalty);
    const auto left = smoother.leave_out(smoother.fit(penalty), factor, every_sample(150));
    EXPECT_LT((left.residuals - expected.residuals).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_LT((left.shares - expected.shares).cwiseAbs().maxCoeff(), 1e-5);
    const auto seen = smoother.survey(every_sample(150), {&penalty, 1});
    EXPECT_LT((seen.shares.row(0).transpose() - expected.shares).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_NEAR(seen.squares.sum(), expected.residuals.squaredNorm(), 1e-3);
  }
}

}  // namespace
}  // namespace assay
