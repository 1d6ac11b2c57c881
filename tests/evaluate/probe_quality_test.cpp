#include "evaluate/probe_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/error.h"
#include "learn/ridge_probe.h"
#include "learn/ridge_space.h"
#include "support.h"

namespace assay {
namespace {

// Normal equations with a free intercept, on features standardised by the training samples.
Matrix plain_ridge(const Matrix& train, const Matrix& values, const Matrix& test, double per_row) {
  const Vector mean = train.rowwise().mean();
  Vector deviation =
      (train.colwise() - mean).rowwise().norm() / std::sqrt(static_cast<double>(train.cols()));
  const Matrix z = deviation.cwiseInverse().asDiagonal() * (train.colwise() - mean);
  const Matrix t = deviation.cwiseInverse().asDiagonal() * (test.colwise() - mean);
  Matrix a = z * z.transpose();
  a.diagonal().array() += per_row * static_cast<double>(train.cols());
  const Eigen::RowVectorXd offset = values.colwise().mean();
  const Matrix weights = a.ldlt().solve(z * (values.rowwise() - offset));
  return (t.transpose() * weights).rowwise() + offset;
}

struct Drawn {
  ProbedSamples train;
  ProbedSamples test;
};

// Numbers that are linear in the features, with noise.
Drawn drawn(Index dim, double noise) {
  const Matrix features = test::gaussian(dim, 90, 5);
  const Matrix weights = test::gaussian(dim, 2, 6);
  Matrix values = features.transpose() * weights + noise * test::gaussian(90, 2, 7);
  values.array() += 40.0;
  const auto part = [&](Index first, Index count) {
    return ProbedSamples{features.middleCols(first, count),
                         test::value_targets(values.middleRows(first, count))};
  };
  return {part(0, 60), part(60, 30)};
}

TEST(RidgeProbe, IsRidgeRegressionUnderOneOfThePenalties) {
  for (const Index dim : {8, 120}) {
    const Drawn samples = drawn(dim, 1.0);
    const Matrix found = ridge_probe(test::pool(), samples.train.features,
                                     samples.train.targets.values, samples.test.features, 1);
    double closest = std::numeric_limits<double>::infinity();
    for (const double per_row : kRidgePerRow) {
      const Matrix expected = plain_ridge(samples.train.features, samples.train.targets.values,
                                          samples.test.features, per_row);
      closest = std::min(closest, (found - expected).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(closest, 1e-8) << dim;
  }
}

TEST(ProbeQuality, OfNumbersIsTheMeanR2OnTestRows) {
  const Drawn samples = drawn(8, 2.0);
  const Matrix predicted = ridge_probe(test::pool(), samples.train.features,
                                       samples.train.targets.values, samples.test.features, 3);
  double expected = 0.0;
  for (Index c = 0; c < 2; ++c) {
    const Vector y = samples.test.targets.values.col(c);
    double left = 0.0;
    double all = 0.0;
    for (Index i = 0; i < y.size(); ++i) {
      left += std::pow(y[i] - predicted(i, c), 2);
      all += std::pow(y[i] - y.mean(), 2);
    }
    expected += 0.5 * (1.0 - left / all);
  }
  EXPECT_NEAR(probe_quality(test::pool(), samples.train, samples.test, 3), expected, 1e-12);
  EXPECT_GT(expected, 0.3);
}

TEST(ProbeQuality, DoesNotDependOnTheScaleOfNumbers) {
  Drawn samples = drawn(8, 2.0);
  const double plain = probe_quality(test::pool(), samples.train, samples.test, 3);
  for (ProbedSamples* part : {&samples.train, &samples.test})
    part->targets.values.col(1) = 1e6 * part->targets.values.col(1).array() - 3e8;
  EXPECT_NEAR(probe_quality(test::pool(), samples.train, samples.test, 3), plain, 1e-8);
}

TEST(ProbeQuality, OfNumbersThatNobodyKnowsIsAboutZero) {
  Drawn samples = drawn(8, 0.0);
  samples.train.targets.values = test::gaussian(60, 2, 11);
  samples.test.targets.values = test::gaussian(30, 2, 12);
  const double value = probe_quality(test::pool(), samples.train, samples.test, 3);
  EXPECT_LT(value, 0.1);
  EXPECT_GT(value, -0.3);
}

TEST(ProbeQuality, LeavesOutColumnsThatDoNotVary) {
  Drawn samples = drawn(8, 1.0);
  const double both = probe_quality(test::pool(), samples.train, samples.test, 3);
  const auto only = [](ProbedSamples part) {
    part.targets = test::value_targets(part.targets.values.leftCols(1));
    return part;
  };
  const double alone = probe_quality(test::pool(), only(samples.train), only(samples.test), 3);
  samples.test.targets.values.col(1).setConstant(40.0);
  EXPECT_NEAR(probe_quality(test::pool(), samples.train, samples.test, 3), alone, 1e-12);
  EXPECT_NE(both, alone);
  samples.train.targets.values.col(0).setConstant(40.0);
  EXPECT_THROW(probe_quality(test::pool(), samples.train, samples.test, 3), Error);
}

// One label that the first feature gives away and one that nothing does: 1 and about its share.
TEST(ProbeQuality, OfSeveralLabelsIsTheMeanAveragePrecision) {
  Drawn samples = drawn(4, 0.0);
  for (ProbedSamples* part : {&samples.train, &samples.test}) {
    part->targets.kind = TargetKind::multi_label;
    for (Index i = 0; i < part->features.cols(); ++i) {
      part->targets.values(i, 0) = part->features(0, i) > 0.0 ? 1.0 : 0.0;
      part->targets.values(i, 1) = i % 3 == 0 ? 1.0 : 0.0;
    }
  }
  const double value = probe_quality(test::pool(), samples.train, samples.test, 3);
  EXPECT_GT(value, 0.5 * (0.95 + 0.2));
  EXPECT_LT(value, 0.5 * (1.0 + 0.7));
}

}  // namespace
}  // namespace assay
