#include "linalg/tridiagonal.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "support.h"

namespace assay {
namespace {

Matrix symmetric(Index p, std::uint64_t seed) {
  const Matrix x = test::gaussian(2 * p, p, seed);
  return x.transpose() * x;
}

Matrix dense(const Tridiagonal& t) {
  Matrix out = t.diagonal.asDiagonal();
  for (Index i = 0; i + 1 < t.size(); ++i) out(i, i + 1) = out(i + 1, i) = t.off_diagonal[i];
  return out;
}

class TridiagonalSizes : public testing::TestWithParam<Index> {};

TEST_P(TridiagonalSizes, ReproducesTheMatrix) {
  const Matrix s = symmetric(GetParam(), 3);
  const Tridiagonal t = tridiagonalize(s);
  const Matrix rebuilt = t.rotate_back(t.rotate_back(dense(t)).transpose());
  EXPECT_LT((rebuilt - s).norm(), 1e-12 * s.norm());
}

TEST_P(TridiagonalSizes, RotationsUndoEachOther) {
  const Tridiagonal t = tridiagonalize(symmetric(GetParam(), 4));
  const Matrix b = test::gaussian(GetParam(), 3, 5);
  EXPECT_LT((t.rotate_back(t.rotate(b)) - b).norm(), 1e-13 * b.norm());
}

// Sums of powers and the determinant pin the spectrum without a second eigen-solver.
TEST_P(TridiagonalSizes, HasTheEigenvaluesOfTheMatrix) {
  const Matrix s = symmetric(GetParam(), 6);
  const Vector values = tridiagonalize(s).eigenvalues;
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_NEAR(values.sum(), s.trace(), 1e-12 * s.trace());
  EXPECT_NEAR(values.squaredNorm(), s.squaredNorm(), 1e-12 * s.squaredNorm());
  EXPECT_NEAR(values.array().cube().sum(), (s * s * s).trace(), 1e-11 * (s * s * s).trace());
  const Matrix l = s.llt().matrixL();
  EXPECT_NEAR(values.array().log().sum(), 2.0 * l.diagonal().array().log().sum(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TridiagonalSizes, testing::Values(1, 2, 3, 17, 65));

}  // namespace
}  // namespace assay
