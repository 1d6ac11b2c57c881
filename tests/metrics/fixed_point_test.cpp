#include "metrics/fixed_point.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "support.h"

namespace assay {
namespace {

// Eq. 3 of the LogME paper as printed, from an eigendecomposition of the whole F F'.
double printed_f(const Matrix& features, const Vector& y, double t) {
  const Eigen::SelfAdjointEigenSolver<Matrix> kernel(features * features.transpose());
  const auto n = static_cast<double>(features.rows());
  double gamma = 0.0;
  double above = 0.0;
  double below = 0.0;
  for (Index i = 0; i < features.rows(); ++i) {
    const double s = std::max(0.0, kernel.eigenvalues()[i]);
    const double z = kernel.eigenvectors().col(i).dot(y);
    gamma += s / (t + s);
    above += z * z / ((t + s) * (t + s));
    below += s * z * z / ((t + s) * (t + s));
  }
  return (n / (n - gamma) - 1.0) * t * t * above / below;
}

struct Case {
  const char* name;
  Index per_class;
  Index dim;
  double scale;
  bool dual;
};

class FixedPoint : public testing::TestWithParam<Case> {};

// Blobs of three classes, so one-hot targets by the class of each row.
TEST_P(FixedPoint, IsTheFunctionOfThePaper) {
  const Case& one = GetParam();
  const test::Sample data = test::blobs(/*classes=*/3, one.per_class, one.dim, /*spread=*/0.7);
  const Matrix features = one.scale * data.features;
  const Problem problem = one.dual ? test::dual_problem(features, data.targets)
                                   : test::primal_problem(features, data.targets);
  const FixedPointCurves curves = fixed_point_curves(problem.reduced(), problem.active());
  ASSERT_EQ(curves.columns.size(), 3U);
  ASSERT_EQ(curves.t.size(), 41U);
  for (const FixedPointCurve& curve : curves.columns) {
    Vector y = Vector::Zero(features.rows());
    for (Index i = 0; i < features.rows(); ++i)
      y[i] = data.targets.labels[static_cast<std::size_t>(i)] == curve.column ? 1.0 : 0.0;
    ASSERT_EQ(curve.f.size(), curves.t.size());
    for (std::size_t k = 0; k < curves.t.size(); ++k) {
      const double expected = printed_f(features, y, curves.t[k]);
      EXPECT_NEAR(curve.f[k], expected, 1e-6 * expected) << curve.column << " at " << curves.t[k];
    }
    if (features.rows() <= features.cols()) continue;  // fits anything: the maximum may be at t = 0
    ASSERT_EQ(curve.kind, EvidenceCase::interior);
    EXPECT_NEAR(printed_f(features, y, curve.t), curve.t, 1e-6 * curve.t);
    EXPECT_GT(curve.t, curves.t.front());
    EXPECT_LT(curve.t, curves.t.back());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FixedPoint,
                         testing::Values(Case{"primal", 20, 5, 1.0, false},
                                         Case{"dual", 20, 5, 1.0, true},
                                         Case{"wide", 8, 40, 1.0, true},
                                         Case{"scaled", 20, 5, 1e-3, false}),
                         [](const auto& one) { return one.param.name; });

TEST(FixedPointCurves, AreOfTheFirstActiveColumnsOnly) {
  const test::Sample data = test::blobs(/*classes=*/5, /*per_class=*/10, /*dim=*/4, /*spread=*/1.0);
  const Problem problem = test::primal_problem(data.features, data.targets);
  std::vector<bool> active = problem.active();
  active[1] = false;
  const FixedPointCurves curves = fixed_point_curves(problem.reduced(), active, 3, 7);
  EXPECT_EQ(curves.t.size(), 7U);
  ASSERT_EQ(curves.columns.size(), 3U);
  EXPECT_EQ(curves.columns[0].column, 0);
  EXPECT_EQ(curves.columns[1].column, 2);
  EXPECT_EQ(curves.columns[2].column, 3);
}

// Features that are zero have no spectrum to draw anything from.
TEST(FixedPointCurves, OfNoFeaturesAreEmpty) {
  const test::Sample data = test::blobs(/*classes=*/2, /*per_class=*/10, /*dim=*/4, /*spread=*/1.0);
  const Problem problem = test::primal_problem(Matrix::Zero(20, 4), data.targets);
  EXPECT_TRUE(fixed_point_curves(problem.reduced(), problem.active()).columns.empty());
}

}  // namespace
}  // namespace assay
