#include "linalg/singular_values.h"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "support.h"

namespace assay {
namespace {

// U diag(s) V' with s over ten orders: roots of a Gram matrix's eigenvalues would lose the last.
TEST(SingularValues, KeepSmallOnesBesideLargeOnes) {
  const Vector expected{{3.0, 1e-2, 1e-5, 1e-10}};
  const Matrix u = test::gaussian(9, 9, 1).householderQr().householderQ();
  const Matrix v = test::gaussian(4, 4, 2).householderQr().householderQ();
  const Matrix a = u.leftCols(4) * expected.asDiagonal() * v.transpose();
  const Vector got = singular_values(a);
  for (Index i = 0; i < 4; ++i) EXPECT_NEAR(got[i], expected[i], 1e-14);
  EXPECT_NEAR(nuclear_norm(a.transpose()), expected.sum(), 1e-14);
}

TEST(SingularValues, OfNothingAreNone) {
  EXPECT_EQ(singular_values(Matrix(0, 3)).size(), 0);
  EXPECT_EQ(nuclear_norm(Matrix(5, 0)), 0.0);
}

}  // namespace
}  // namespace assay
