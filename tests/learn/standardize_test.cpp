#include "learn/standardize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace assay {
namespace {

// mean 3, population variance (4 + 0 + 4) / 3 by hand.
TEST(Standardizer, DividesByThePopulationDeviation) {
  Matrix samples{{1.0, 3.0, 5.0}, {-2.0, 0.0, 2.0}};
  const Standardizer standard = fit_standardizer(samples);
  EXPECT_DOUBLE_EQ(standard.mean[0], 3.0);
  EXPECT_DOUBLE_EQ(standard.mean[1], 0.0);
  EXPECT_DOUBLE_EQ(standard.factor[0], std::sqrt(3.0 / 8.0));
  standard.apply(samples);
  EXPECT_DOUBLE_EQ(samples(0, 0), -std::sqrt(1.5));
  EXPECT_DOUBLE_EQ(samples(0, 1), 0.0);
  EXPECT_DOUBLE_EQ(samples(1, 2), std::sqrt(1.5));
}

TEST(Standardizer, LeavesMeanZeroAndVarianceOneAtAnyScaleAndShift) {
  for (const double scale : {1e-300, 1e-200, 1e-160, 1e-30, 1.0, 1e30}) {
    for (const double shift : {0.0, 1e3}) {
      Matrix samples = scale * (test::gaussian(4, 50, 3).array() + shift);
      fit_standardizer(samples).apply(samples);
      EXPECT_LT(samples.rowwise().mean().cwiseAbs().maxCoeff(), 1e-12);
      const Vector variance = samples.rowwise().squaredNorm() / 50.0;
      EXPECT_LT((variance.array() - 1.0).abs().maxCoeff(), 1e-12);
    }
  }
}

// 0.1 summed n times is often not n / 10: the mean is off by a rounding, which must not be blown
// up.
TEST(Standardizer, TurnsConstantFeaturesIntoZero) {
  for (Index n = 2; n < 100; ++n) {
    Matrix samples = test::gaussian(5, n, 1);
    samples.row(0).setConstant(0.1);
    samples.row(1).setZero();
    samples.row(2).setConstant(-1e30 / 3.0);
    samples.row(3).setConstant(0.7);
    fit_standardizer(samples).apply(samples);
    EXPECT_EQ(samples.topRows(4).cwiseAbs().maxCoeff(), 0.0) << n;
    EXPECT_NEAR(samples.row(4).squaredNorm(), static_cast<double>(n),
                1e-10 * static_cast<double>(n));
  }
}

TEST(Standardizer, AppliesTheTrainingMeanToOtherSamples) {
  const Standardizer standard = fit_standardizer(Matrix{{0.0, 2.0}});
  Matrix other{{4.0, 1.0}};
  standard.apply(other);
  EXPECT_DOUBLE_EQ(other(0, 0), 3.0);
  EXPECT_DOUBLE_EQ(other(0, 1), 0.0);
}

TEST(Standardizer, OfFloatsIsThatOfTheSameNumbersInDouble) {
  const Eigen::MatrixXf floats = (1e3 + test::gaussian(37, 20, 4).array()).cast<float>();
  Matrix samples = floats.cast<double>();
  const Standardizer standard = fit_standardizer(floats);
  fit_standardizer(samples).apply(samples);
  Eigen::MatrixXf out(37, 20);
  for (Index i = 0; i < 20; ++i) standard.apply_to(floats.col(i).data(), out.col(i).data());
  EXPECT_LT((out.cast<double>() - samples).cwiseAbs().maxCoeff(), 5e-7);
}

TEST(Standardizer, TurnsWhatVariesBelowTheSmallestNormalNumberIntoZero) {
  Matrix samples{{0.0, 5e-324, 1e-320}};
  fit_standardizer(samples).apply(samples);
  EXPECT_EQ(samples.norm(), 0.0);
}

TEST(Standardizer, TurnsASingleSampleIntoZero) {
  Matrix one{{4.0}, {-1.0}};
  fit_standardizer(one).apply(one);
  EXPECT_EQ(one.norm(), 0.0);
}

}  // namespace
}  // namespace assay
