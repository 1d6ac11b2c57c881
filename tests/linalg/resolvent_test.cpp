#include "linalg/resolvent.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "support.h"

namespace assay {
namespace {

struct Fixture {
  Matrix s;
  Tridiagonal t;
  Matrix b;        // original coordinates
  Matrix rotated;  // as the forms take it
};

Fixture make(Index p, Index columns) {
  const Matrix x = test::gaussian(3 * p, p, 1);
  Fixture f{x.transpose() * x, {}, test::gaussian(p, columns, 2), {}};
  f.t = tridiagonalize(f.s);
  f.rotated = f.t.rotate(f.b);
  return f;
}

double dense_form(const Fixture& f, Index column, double shift) {
  const Matrix shifted = f.s + shift * Matrix::Identity(f.s.rows(), f.s.rows());
  return f.b.col(column).dot(shifted.llt().solve(f.b.col(column)));
}

TEST(Resolvent, FormsEqualDenseSolves) {
  for (const Index p : {1, 2, 40}) {
    const Fixture f = make(p, 37);  // more than one panel, the last one not full
    const std::vector<double> shifts = {1e-6, 0.5, 300.0};
    const Matrix forms = resolvent_forms(f.t, f.rotated, shifts);
    for (Index c = 0; c < 37; ++c) {
      for (Index k = 0; k < 3; ++k) {
        const double expected = dense_form(f, c, shifts[static_cast<std::size_t>(k)]);
        EXPECT_NEAR(forms(k, c), expected, 1e-10 * expected);
      }
    }
  }
}

TEST(Resolvent, DerivativesEqualThoseOfDenseSolves) {  // phi' = -|A^-1 b|^2, phi'' = 2 x'A^-1 x
  const Fixture f = make(25, kLanes);
  std::vector<double> b(25 * kLanes);
  for (Index i = 0; i < 25; ++i) {
    for (Index k = 0; k < kLanes; ++k)
      b[static_cast<std::size_t>(i * kLanes + k)] = f.rotated(i, k);
  }
  const Lanes shifts = {1e-3, 0.1, 1.0, 5.0, 20.0, 100.0, 1e3, 1e4};
  const ResolventLanes lanes = resolvent_derivatives(f.t, b, shifts);
  for (std::size_t k = 0; k < kLanes; ++k) {
    const Matrix shifted = f.s + shifts[k] * Matrix::Identity(25, 25);
    const Vector column = f.b.col(static_cast<Index>(k));
    const Vector x = shifted.llt().solve(column);
    EXPECT_NEAR(lanes.value[k], column.dot(x), 1e-11 * lanes.value[k]);
    EXPECT_NEAR(lanes.first[k], -x.squaredNorm(), 1e-9 * x.squaredNorm());
    const double second = 2.0 * x.dot(shifted.llt().solve(x));
    EXPECT_NEAR(lanes.second[k], second, 1e-8 * second);
  }
}

TEST(Resolvent, SolvesEveryColumnWithItsOwnShift) {
  const Fixture f = make(12, 3);
  const std::vector<double> shifts = {0.1, 2.0, 50.0};
  const Matrix x = f.t.rotate_back(resolvent_solve(f.t, f.rotated, shifts));
  for (Index c = 0; c < 3; ++c) {
    const Matrix shifted = f.s + shifts[static_cast<std::size_t>(c)] * Matrix::Identity(12, 12);
    EXPECT_LT((shifted * x.col(c) - f.b.col(c)).norm(), 1e-11 * f.b.col(c).norm());
  }
}

}  // namespace
}  // namespace assay
