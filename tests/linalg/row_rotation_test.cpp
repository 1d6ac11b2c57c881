#include "linalg/row_rotation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <vector>

#include "support.h"

namespace assay {
namespace {

class RowRotationSizes : public testing::TestWithParam<Index> {
 protected:
  RowRotationSizes() {
    const Matrix x = test::gaussian(2 * GetParam(), GetParam(), 3);
    s_ = x.transpose() * x;
    t_ = tridiagonalize(s_, false);
  }
  Matrix s_;
  Tridiagonal t_;
};

TEST_P(RowRotationSizes, TurnsRowsAsTheReductionTurnsColumns) {
  const Matrix samples = test::gaussian(21, GetParam(), 4);
  const Matrix expected = t_.rotate(samples.transpose()).transpose();
  Matrix rows = samples;
  RowRotation<double>(t_).apply(rows);
  EXPECT_LT((rows - expected).norm(), 1e-13 * expected.norm());
  Eigen::MatrixXf floats = samples.cast<float>();
  RowRotation<float>(t_).apply(floats);
  EXPECT_LT((floats.cast<double>() - expected).norm(), 3e-6 * expected.norm());
}

// Against the inverse of the matrix itself; 21 rows are a whole strip of 16 and a part of one.
TEST_P(RowRotationSizes, FormsAreThoseOfTheShiftedInverse) {
  const Matrix samples = test::gaussian(21, GetParam(), 5);
  const std::vector<double> shifts = {0.5, 30.0};
  Matrix rows = samples;
  RowRotation<double>(t_).apply(rows);
  Eigen::MatrixXf floats = samples.cast<float>();
  RowRotation<float>(t_).apply(floats);
  const Matrix forms = resolvent_forms_of_rows<double>(t_, rows, shifts);
  const Matrix rough = resolvent_forms_of_rows<float>(t_, floats, shifts);
  for (Index k = 0; k < 2; ++k) {
    const Matrix inverse =
        (s_ + shifts[static_cast<std::size_t>(k)] * Matrix::Identity(GetParam(), GetParam()))
            .inverse();
    for (Index i = 0; i < samples.rows(); ++i) {
      const double expected = samples.row(i) * inverse * samples.row(i).transpose();
      EXPECT_NEAR(forms(k, i), expected, 1e-11 * expected);
      EXPECT_NEAR(rough(k, i), expected, 1e-5 * expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RowRotationSizes, testing::Values(1, 2, 17, 130, 300));

TEST(RowRotation, OfNoRowsIsNothing) {
  Matrix none(0, 3);
  RowRotation<double>(tridiagonalize(Matrix::Identity(3, 3))).apply(none);
  EXPECT_EQ(none.rows(), 0);
}

}  // namespace
}  // namespace assay
