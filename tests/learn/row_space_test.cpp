#include "learn/row_space.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "support.h"

namespace assay {
namespace {

Matrix with_constant(const Matrix& samples) {  // (D + 1) x n
  Matrix out = Matrix::Ones(samples.rows() + 1, samples.cols());
  out.topRows(samples.rows()) = samples;
  return out;
}

// X = Z V', V orthonormal, Z'Z diagonal with the squared singular values of X.
void expect_sound(const Matrix& samples, Index rank) {
  const RowSpace space = row_space(test::pool(), samples);
  const Matrix x = with_constant(samples);
  const double size = x.norm();
  ASSERT_EQ(space.z.rows(), rank);
  ASSERT_EQ(space.spectrum.size(), rank);
  EXPECT_LT((space.basis * space.z - x).norm(), 1e-13 * size);
  EXPECT_LT((space.basis.transpose() * space.basis - Matrix::Identity(rank, rank)).norm(), 1e-9);
  const Matrix moments = space.z * space.z.transpose();
  EXPECT_LT((moments - Matrix(space.spectrum.asDiagonal())).norm(), 1e-12 * size * size);
  const Vector singular = Eigen::JacobiSVD<Matrix>(x).singularValues().head(rank);
  EXPECT_LT((space.spectrum - singular.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-12 * size * size);
  EXPECT_LT((space.map(samples) - space.z).norm(), 1e-9 * size);
}

TEST(RowSpace, IsARotationWhenSamplesAreMany) { expect_sound(test::gaussian(5, 30, 1), 6); }

TEST(RowSpace, HasARowPerSampleWhenTheyAreFew) { expect_sound(test::gaussian(40, 7, 2), 7); }

TEST(RowSpace, CoversBothSidesOfEqualSizes) {
  expect_sound(test::gaussian(9, 10, 3), 10);  // n = D + 1
  expect_sound(test::gaussian(10, 10, 3), 10);
  expect_sound(test::gaussian(9, 11, 3), 10);
}

TEST(RowSpace, LeavesOutDependentDirections) {
  Matrix tall = test::gaussian(6, 30, 4);
  tall.row(5) = tall.row(0) - tall.row(1);
  tall.row(4).setConstant(2.5);  // the constant is there already
  tall.row(3).setZero();
  expect_sound(tall, 4);
  Matrix wide(40, 8);
  wide << test::gaussian(40, 4, 5), test::gaussian(40, 4, 5);  // every sample twice
  expect_sound(wide, 4);
}

TEST(RowSpace, OfEqualSamplesHasOneDirection) {
  expect_sound(Matrix::Constant(3, 10, 0.7), 1);
  expect_sound(Matrix::Zero(20, 4), 1);
}

// Norms and inner products of further samples survive as far as they lie in the span.
TEST(RowSpace, MapsFurtherSamplesToTheirProjection) {
  const Matrix samples = test::gaussian(40, 7, 6);
  const Matrix further = test::gaussian(40, 3, 7);
  const RowSpace space = row_space(test::pool(), samples);
  const Matrix x = with_constant(samples);
  // <map(f), z_i> = <f, x_i>, a constant of 1 included: x_i lies in the span.
  const Matrix expected = with_constant(further).transpose() * x;
  EXPECT_LT((space.map(further).transpose() * space.z - expected).norm(), 1e-11 * expected.norm());
}

TEST(RowSpace, IsTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  for (const Matrix& samples : {test::gaussian(20, 700, 8), test::gaussian(700, 300, 8)}) {
    const RowSpace a = row_space(one, samples);
    const RowSpace b = row_space(test::pool(), samples);
    EXPECT_EQ(a.z, b.z);
    EXPECT_EQ(a.basis, b.basis);
    EXPECT_EQ(a.spectrum, b.spectrum);
  }
}

}  // namespace
}  // namespace assay
