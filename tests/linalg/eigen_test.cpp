#include "linalg/eigen.h"

#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

TEST(SymmetricEigen, LeavesNoResidual) {
  for (const Index p : {1, 2, 30, 150}) {
    const Matrix x = test::gaussian(p, p, 3);
    const Matrix s = x + x.transpose();
    const SymmetricEigen eigen = symmetric_eigen(s.triangularView<Eigen::Lower>());
    const Matrix& v = eigen.vectors;
    EXPECT_LT((s * v - v * eigen.values.asDiagonal()).norm(), 1e-12 * s.norm()) << p;
    EXPECT_LT((v.transpose() * v - Matrix::Identity(p, p)).norm(), 1e-12) << p;
    for (Index i = 1; i < p; ++i) EXPECT_LE(eigen.values[i - 1], eigen.values[i]);
  }
}

TEST(SymmetricEigen, HoldsOnEmptyAndZeroMatrices) {
  EXPECT_EQ(symmetric_eigen(Matrix(0, 0)).values.size(), 0);
  EXPECT_EQ(symmetric_eigen(Matrix::Zero(4, 4)).values, Vector::Zero(4));
}

}  // namespace
}  // namespace assay
