#include "linalg/pivoted_cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace assay {
namespace {

Matrix product_of(const PivotedCholesky& u) { return u.factor.transpose() * u.factor; }

Matrix reordered(const Matrix& s, const std::vector<Index>& order) { return s(order, order); }

TEST(PivotedCholesky, FactorGivesTheReorderedMatrix) {
  for (const Index p : {1, 3, 40, 130}) {
    const Matrix x = test::gaussian(p, 2 * p, 1);
    const Matrix s = x * x.transpose();
    const PivotedCholesky u = pivoted_cholesky(s.triangularView<Eigen::Upper>(), 0.0);
    EXPECT_EQ(u.rank(), p);
    EXPECT_LT((product_of(u) - reordered(s, u.order)).norm(), 1e-13 * s.norm());
    EXPECT_GT(u.smallest, 0.0);
  }
}

TEST(PivotedCholesky, StopsAtTheRank) {
  const Matrix x = test::gaussian(90, 7, 2);
  const Matrix s = x * x.transpose();
  const PivotedCholesky u =
      pivoted_cholesky(s.triangularView<Eigen::Upper>(), 1e-12 * s.diagonal().maxCoeff());
  EXPECT_EQ(u.rank(), 7);
  EXPECT_LT((product_of(u) - reordered(s, u.order)).norm(), 1e-13 * s.norm());
  std::vector<Index> order = u.order;
  std::sort(order.begin(), order.end());
  for (Index k = 0; k < 90; ++k) EXPECT_EQ(order[static_cast<std::size_t>(k)], k);
}

TEST(PivotedCholesky, OfNothingHasRankZero) {
  EXPECT_EQ(pivoted_cholesky(Matrix::Zero(4, 4), 0.0).rank(), 0);
  EXPECT_EQ(pivoted_cholesky(Matrix::Zero(4, 4), 0.0).order.size(), 4U);
  EXPECT_EQ(pivoted_cholesky(Matrix(0, 0), 0.0).rank(), 0);
}

// One of two columns 1e6 times the other: the projection does not know.
TEST(ProjectedSquares, AreThoseOfTheRange) {
  Matrix basis = Matrix::Zero(5, 2);
  basis(0, 0) = 1e6;
  basis(1, 1) = 1.0;
  basis(0, 1) = 3.0;
  Matrix columns{{1.0, 0.0}, {2.0, 0.0}, {3.0, 4.0}, {0.0, 0.0}, {0.0, 1.0}};
  const Vector squares = projected_squares(basis, columns);
  EXPECT_NEAR(squares[0], 5.0, 1e-12);
  EXPECT_NEAR(squares[1], 0.0, 1e-12);
  EXPECT_EQ(projected_squares(Matrix(5, 0), columns).sum(), 0.0);
}

}  // namespace
}  // namespace assay
