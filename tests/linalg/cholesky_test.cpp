#include "linalg/cholesky.h"

#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

TEST(Cholesky, FactorTimesItsTransposeIsTheMatrix) {
  for (const Index p : {1, 2, 40, 130}) {
    const Matrix x = test::gaussian(p, 2 * p, 1);
    const Matrix s = x * x.transpose();
    Matrix lower = s.triangularView<Eigen::Lower>();
    const Matrix factor = *cholesky(lower);
    EXPECT_LT((factor * factor.transpose() - s).norm(), 1e-13 * s.norm()) << p;
    EXPECT_TRUE(factor.isLowerTriangular(0.0));
  }
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  EXPECT_FALSE(cholesky(Matrix{{1.0, 2.0}, {2.0, 1.0}}));  // eigenvalues 3 and -1
  EXPECT_FALSE(cholesky(Matrix::Zero(3, 3)));
  EXPECT_TRUE(cholesky(Matrix(0, 0)));
}

TEST(Cholesky, AboveTheDiagonalLeavesWhatIsBelow) {
  const Matrix x = test::gaussian(40, 80, 3);
  const Matrix s = x * x.transpose();
  Matrix both = test::gaussian(40, 40, 4);
  const Matrix below = both.triangularView<Eigen::StrictlyLower>();
  both.triangularView<Eigen::Upper>() = s;
  ASSERT_TRUE(cholesky_above(both));
  const Matrix factor = both.triangularView<Eigen::Upper>();
  EXPECT_LT((factor.transpose() * factor - s).norm(), 1e-13 * s.norm());
  EXPECT_EQ(Matrix(both.triangularView<Eigen::StrictlyLower>()), below);
  Matrix indefinite{{1.0, 2.0}, {2.0, 1.0}};
  EXPECT_FALSE(cholesky_above(indefinite));
}

TEST(SolveLower, LeavesNoResidual) {
  const Matrix factor{{2.0, 0.0, 0.0}, {1.0, 3.0, 0.0}, {-4.0, 5.0, 0.5}};
  const Matrix b = test::gaussian(3, 7, 2);
  EXPECT_LT((factor * solve_lower(factor, b) - b).norm(), 1e-13);
  EXPECT_LT((factor.transpose() * solve_lower_transposed(factor, b) - b).norm(), 1e-13);
  EXPECT_EQ(solve_lower(Matrix(0, 0), Matrix(0, 3)).cols(), 3);
  const Eigen::MatrixXf rough = factor.cast<float>();  // exact
  EXPECT_LT((solve_lower(rough, b.cast<float>()).cast<double>() - solve_lower(factor, b)).norm(),
            1e-4);
}

}  // namespace
}  // namespace assay
