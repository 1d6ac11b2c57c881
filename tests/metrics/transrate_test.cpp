#include "metrics/transrate.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "data/moments_pass.h"
#include "fixture.h"

namespace assay {
namespace {

// 1/2 log det(I + x x' / (n eps)) for n rows, on the side of the features, by LU.
double direct_rate(const Matrix& rows) {
  const Index dim = rows.cols();
  const Matrix s = Matrix::Identity(dim, dim) +
                   rows.transpose() * rows / (1e-4 * static_cast<double>(rows.rows()));
  return 0.5 * Eigen::PartialPivLU<Matrix>(s).matrixLU().diagonal().cwiseAbs().array().log().sum();
}

double direct(const Matrix& features, const std::vector<Label>& labels, Label classes) {
  const Matrix centered = features.rowwise() - features.colwise().mean();
  double value = direct_rate(centered);
  for (Label c = 0; c < classes; ++c) {
    std::vector<Index> own;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == c) own.push_back(static_cast<Index>(i));
    }
    value -= direct_rate(centered(own, Eigen::all)) * static_cast<double>(own.size()) /
             static_cast<double>(labels.size());
  }
  return value;
}

void expect_direct(const Matrix& features, const std::vector<Label>& labels, Label classes) {
  const double expected = direct(features, labels, classes);
  EXPECT_NEAR(transrate(test::samples_of(features, labels)).value, expected,
              1e-9 * std::max(1.0, std::abs(expected)));
}

TEST(TransRate, EqualsDirectDeterminants) {
  for (const Index dim : {1, 5, 10, 40}) {  // classes of 10: either side, mixed
    const test::Sample s = test::blobs(3, 10, dim, 1.0);
    expect_direct(s.features, s.targets.labels, 3);
  }
}

TEST(TransRate, EqualsDirectDeterminantsForUnevenClasses) {
  const Matrix features = test::gaussian(20, 6, 4);
  std::vector<Label> labels(20, 0);
  labels[3] = 1;
  for (std::size_t i = 10; i < 14; ++i) labels[i] = 2;
  expect_direct(features, labels, 3);
}

// x = -1, -1, 1, 1: R = 1/2 log(1 + 1e4), all within classes the same, so the difference is 0 when
// classes mix, and also when they do not: the features stay centred over all classes.
TEST(TransRate, IsZeroWhenClassesHaveTheSameSecondMoments) {
  const Matrix features{{-1.0}, {-1.0}, {1.0}, {1.0}};
  EXPECT_NEAR(transrate(test::samples_of(features, {0, 1, 0, 1})).value, 0.0, 1e-12);
  EXPECT_NEAR(transrate(test::samples_of(features, {0, 0, 1, 1})).value, 0.0, 1e-12);
}

// Centred: -3, 1, 1, 1; class 0 is the first: 1/2 (log(1 + 3e4) - 1/4 log(1 + 9e4) - 3/4 log(1 +
// 1e4)).
TEST(TransRate, OfOneFeatureIsAsByHand) {
  const double expected = 0.5 * (std::log1p(3e4) - 0.25 * std::log1p(9e4) - 0.75 * std::log1p(1e4));
  EXPECT_NEAR(transrate(test::samples_of(Matrix{{0.0}, {4.0}, {4.0}, {4.0}}, {0, 1, 1, 1})).value,
              expected, 1e-12);
}

TEST(TransRate, IgnoresRotationsAndShiftsButNotScale) {
  for (const Index dim : {6, 40}) {
    const test::Sample s = test::blobs(3, 10, dim, 1.0);
    const double plain = transrate(test::samples_of(s)).value;
    const Matrix rotation = test::gaussian(dim, dim, 3).householderQr().householderQ();
    Matrix moved = s.features * rotation;
    moved.array() += 5.0;
    EXPECT_NEAR(transrate(test::samples_of(moved, s.targets.labels)).value, plain, 1e-9);
    EXPECT_GT(
        std::abs(transrate(test::samples_of(0.01 * s.features, s.targets.labels)).value - plain),
        0.01);
  }
}

// [f, f] has the eigenvalues of sqrt(2) f and zeros. I + S then has no Cholesky factor in double.
TEST(TransRate, OfLargeDependentFeaturesIsThatOfIndependentOnes) {
  const test::Sample s = test::blobs(3, 30, 4, 1.0);
  Matrix twice(90, 8);
  twice << s.features, s.features;
  for (const double scale : {1.0, 1e4, 1e8, 1e12, 1e30}) {
    const double expected =
        transrate(test::samples_of(std::sqrt(2.0) * scale * s.features, s.targets.labels)).value;
    EXPECT_NEAR(transrate(test::samples_of(scale * twice, s.targets.labels)).value, expected, 1e-6)
        << scale;
  }
}

// Far above eps, R grows by rank log(scale); every class has full rank here, so nothing changes.
TEST(TransRate, ConvergesAsTheScaleGrows) {
  const test::Sample s = test::blobs(3, 30, 4, 1.0);
  const double large = transrate(test::samples_of(1e6 * s.features, s.targets.labels)).value;
  EXPECT_NEAR(direct(1e4 * s.features, s.targets.labels, 3), large, 1e-6);
  EXPECT_NEAR(transrate(test::samples_of(1e30 * s.features, s.targets.labels)).value, large, 1e-9);
}

// Moments of float products serve where they are good enough, and are left alone where not: with
// near copies of columns the inverse magnifies their rounding.
TEST(TransRate, OfFloatsWithMomentsIsThatOfTheSameNumbersInDouble) {
  for (const double difference : {1.0, 1e-4}) {
    const test::Sample s = test::blobs(3, 400, 20, 1.0);
    Eigen::MatrixXf floats(40, 1200);
    floats.topRows(20) = s.features.transpose().cast<float>();
    floats.bottomRows(20) =
        (s.features + difference * test::gaussian(1200, 20, 7)).transpose().cast<float>();
    const Matrix same = floats.cast<double>().transpose();
    const double expected = transrate(test::samples_of(same, s.targets.labels)).value;
    const std::vector<Index> all(1200, 0);
    const MomentsPass pass = accumulate_moments(test::pool(), *rows_of_matrix(same, "f"), s.targets,
                                                all, 1, {Precision::float_products});
    ASSERT_GT(pass.buckets.front().product_rounding, 0.0);
    const auto moments = std::make_shared<const Moments>(pass.buckets.front());
    const Samples samples(test::pool(), FloatFeatures(floats, moments), s.targets.labels, 0);
    EXPECT_NEAR(transrate(samples).value, expected, 1e-6 * std::max(1.0, std::abs(expected)))
        << difference;
  }
}

TEST(TransRate, OfTinyFeaturesIsZero) {
  const test::Sample s = test::blobs(3, 10, 4, 1.0);
  EXPECT_NEAR(transrate(test::samples_of(1e-30 * s.features, s.targets.labels)).value, 0.0, 1e-15);
}

}  // namespace
}  // namespace assay
