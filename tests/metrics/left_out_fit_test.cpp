#include "metrics/left_out_fit.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "metrics/make_problem.h"
#include "support.h"

namespace assay {
namespace {

using test::gaussian;

struct Case {
  Matrix features;  // n x D
  Matrix targets;   // n x C
  bool center = false;
};

// The fit to all rows but one at a given t, solved as it is written.
Vector refitted(const Case& one, Index out, double t, Index c, const Matrix& samples) {
  std::vector<Index> kept;
  for (Index i = 0; i < one.features.rows(); ++i)
    if (i != out) kept.push_back(i);
  Matrix f = one.features(kept, Eigen::all);
  Vector y = one.targets(kept, c);
  Vector mean = Vector::Zero(f.cols());
  double level = 0.0;
  if (one.center) {
    mean = f.colwise().mean().transpose();
    level = y.mean();
    f.rowwise() -= mean.transpose();
    y.array() -= level;
  }
  const Matrix gram = f.transpose() * f + t * Matrix::Identity(f.cols(), f.cols());
  const Vector m = gram.llt().solve(f.transpose() * y);
  return ((samples.colwise() - mean).transpose() * m).array() + level;
}

// Every row with two views of itself, against as many refits.
void expect_refits(const Case& one) {
  const Rows rows = rows_of_matrix(one.features, "f");
  const Problem problem = make_problem(test::pool(), *rows, test::value_targets(one.targets),
                                       one.center, Index{1} << 30);
  const LogmeFit fit = fit_logme(problem, *rows);
  const LeftOutFit left(fit);
  const Index n = one.features.rows();
  constexpr Index views = 3;
  Matrix samples(one.features.cols(), n * views);
  for (Index i = 0; i < n; ++i) {
    samples.middleCols(i * views, views) =
        0.3 * gaussian(one.features.cols(), views, static_cast<std::uint64_t>(100 + i));
    samples.middleCols(i * views, views).colwise() += Vector(one.features.row(i).transpose());
    samples.col(i * views) = one.features.row(i).transpose();
  }
  const Matrix found = left.predictions(samples, views, one.targets.transpose());
  for (Index c = 0; c < one.targets.cols(); ++c) {
    const EvidenceColumn& column = fit.columns[static_cast<std::size_t>(c)];
    ASSERT_EQ(column.kind, EvidenceCase::interior);
    for (Index i = 0; i < n; ++i) {
      const Vector expected = refitted(one, i, column.t, c, samples.middleCols(i * views, views));
      for (Index v = 0; v < views; ++v)
        EXPECT_NEAR(found(c, i * views + v), expected[v], 1e-9) << c << ' ' << i << ' ' << v;
    }
  }
}

Case tall(bool center) {
  const Matrix f = gaussian(40, 6, 1).array() + (center ? 2.0 : 0.0);
  return {f, f * gaussian(6, 2, 2) + gaussian(40, 2, 3), center};
}

// A few strong directions and noise, so that the optimum lies inside.
Case wide(bool center) {
  Matrix f = gaussian(20, 30, 4);
  for (Index j = 0; j < 30; ++j) f.col(j) *= 3.0 / static_cast<double>(1 + j * j);
  return {f, f.leftCols(2) + 0.7 * gaussian(20, 2, 5), center};
}

TEST(LeftOutFit, IsTheFitToTheOtherRows) {
  expect_refits(tall(false));
  expect_refits(wide(false));
}

TEST(LeftOutFit, IsTheFitToTheOtherRowsWithAnIntercept) {
  expect_refits(tall(true));
  expect_refits(wide(true));
}

TEST(LeftOutFit, KeepsRankDeficientFeaturesApart) {
  Case one = tall(false);
  one.features.col(5) = one.features.col(0) + one.features.col(1);
  one.targets = one.features * gaussian(6, 2, 7) + gaussian(40, 2, 8);
  expect_refits(one);
}

LeftOutFit fit_of(const Matrix& features, const Targets& targets, bool center) {
  const Rows rows = rows_of_matrix(features, "f");
  const Problem problem = make_problem(test::pool(), *rows, targets, center, Index{1} << 30);
  return LeftOutFit(fit_logme(problem, *rows));
}

// More dimensions than rows and targets without noise: t -> 0, every residual is 0, and what is
// left out is the minimum-norm solution of the other rows.
TEST(LeftOutFit, HasALimitWhereTheFeaturesFitAnything) {
  const Matrix f = gaussian(12, 60, 1);
  const Matrix y = f * gaussian(60, 1, 2);
  const LeftOutFit left = fit_of(f, test::value_targets(y), false);
  const Matrix found = left.predictions(f.transpose(), 1, y.transpose());
  for (Index i = 0; i < 12; ++i) {
    std::vector<Index> kept;
    for (Index j = 0; j < 12; ++j)
      if (j != i) kept.push_back(j);
    const Matrix others = f(kept, Eigen::all);
    const Vector a = (others * others.transpose()).llt().solve(Vector(y(kept, 0)));
    EXPECT_NEAR(found(0, i), (f.row(i) * others.transpose() * a)(0), 1e-4);
  }
}

// With an intercept and features that say nothing, the mean of the others is left: n = 4, y = 0, 0,
// 0, 4 gives 4/3 three times, then 0.
TEST(LeftOutFit, PredictsTheMeanOfTheOthersWhereFeaturesSayNothing) {
  Matrix f = Matrix::Zero(4, 1);
  f << 1, -1, 1, -1;
  Matrix y(4, 1);
  y << 0, 0, 4, 4;  // each value once with either feature
  f(1) = -1;
  f(2) = -1;
  f(3) = 1;
  const LeftOutFit left = fit_of(f, test::value_targets(y), true);
  const Matrix found = left.predictions(f.transpose(), 1, y.transpose());
  EXPECT_NEAR(found(0, 0), 8.0 / 3.0, 1e-9);
  EXPECT_NEAR(found(0, 3), 4.0 / 3.0, 1e-9);
}

TEST(LeftOutFit, PredictsAConstantColumnAsItIs) {
  Matrix y = gaussian(20, 2, 3);
  y.col(1).setConstant(5.0);
  const Matrix f = gaussian(20, 3, 1);
  for (const bool center : {false, true}) {
    const LeftOutFit left = fit_of(f, test::value_targets(y), center);
    const Matrix found = left.predictions(f.transpose(), 1, y.transpose());
    EXPECT_NEAR((found.row(1).array() - 5.0).abs().maxCoeff(), 0.0, 1e-12);
    EXPECT_TRUE(found.allFinite());
  }
}

}  // namespace
}  // namespace assay
