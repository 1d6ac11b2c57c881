#include "prior/label_free.h"

#include <gtest/gtest.h>

#include <cmath>

#include "prior/alpha_req.h"
#include "prior/effective_rank.h"
#include "prior/lidar.h"
#include "support.h"

namespace assay {
namespace {

// sin(1 + 0.7 i (j + 1)) / (j + 1) + 0.3: the same numbers everywhere.
Matrix waves(Index rows, Index cols) {
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const auto k = static_cast<double>(j + 1);
      out(i, j) = std::sin(1.0 + 0.7 * static_cast<double>(i) * k) / k + 0.3;
    }
  }
  return out;
}

Rows rows_of(const Matrix& x) { return rows_of_matrix(x, "x"); }

// NumPy: numpy.linalg.svd of the features as they are.
TEST(RankMe, EqualsNumPy) {
  EXPECT_NEAR(rankme(test::pool(), *rows_of(waves(60, 25))), 6.791365498295729, 1e-6);
  EXPECT_NEAR(rankme(test::pool(), *rows_of(waves(30, 50))), 5.6129716379096415, 1e-6);
  EXPECT_NEAR(rankme(test::pool(), *rows_of(waves(200, 40))), 11.937672754033775, 1e-6);
}

TEST(RankMe, IsTheRankOfEqualDirectionsAndOneOfAMean) {
  EXPECT_NEAR(rankme(test::pool(), *rows_of(Matrix::Identity(12, 12))), 12.0, 1e-4);
  EXPECT_NEAR(rankme(test::pool(), *rows_of(Matrix::Ones(12, 5))), 1.0, 1e-4);
  // Not centred: a large mean is one direction that drowns the others.
  const Matrix x = test::gaussian(100, 10, 1);
  EXPECT_LT(rankme(test::pool(), *rows_of(Matrix(x.array() + 100.0))),
            0.5 * rankme(test::pool(), *rows_of(x)));
}

// NumPy: weighted least squares through the eigenvalues 11 ... 40.
TEST(AlphaReq, EqualsNumPy) {
  EXPECT_NEAR(*alpha_req(test::pool(), *rows_of(waves(200, 40))), 2.0317639471657727, 1e-8);
}

TEST(AlphaReq, RecoversThePowerAndNeedsTwentyValues) {
  Vector values(150);
  for (Index j = 0; j < 150; ++j) values[j] = 3.0 * std::pow(static_cast<double>(j + 1), -1.3);
  EXPECT_NEAR(*power_law_decay(values), 1.3, 1e-12);
  EXPECT_NEAR(*power_law_decay(values.head(20)), 1.3, 1e-12);
  EXPECT_FALSE(power_law_decay(values.head(19)));
  EXPECT_FALSE(power_law_decay(Vector::Zero(30)));
}

// NumPy: eigenvalues of S_w^-1/2 S_b S_w^-1/2 by the root itself.
TEST(Lidar, EqualsNumPy) {
  EXPECT_NEAR(lidar(test::pool(), *rows_of(waves(60, 25)), 2), 8.345158600564254, 1e-6);
  EXPECT_NEAR(lidar(test::pool(), *rows_of(waves(60, 25)), 5), 4.451499028178637, 1e-6);
  EXPECT_NEAR(lidar(test::pool(), *rows_of(waves(30, 50)), 2), 6.763340621782051, 1e-6);
  EXPECT_NEAR(lidar(test::pool(), *rows_of(waves(200, 40)), 5), 3.457063671873038, 1e-6);
}

TEST(LabelFree, LeavesOutWhatDoesNotExist) {
  const LabelFree narrow = label_free(test::pool(), *rows_of(waves(30, 5)), 0);
  EXPECT_TRUE(narrow.rankme);
  EXPECT_FALSE(narrow.alpha_req);
  EXPECT_FALSE(narrow.lidar);
  const LabelFree huge = label_free(test::pool(), *rows_of(1e100 * waves(50, 30)), 2);
  EXPECT_FALSE(huge.rankme);
}

}  // namespace
}  // namespace assay
