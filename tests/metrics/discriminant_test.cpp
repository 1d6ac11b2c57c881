#include "metrics/discriminant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace assay {
namespace {

// One feature, classes -1, 1 and 3, 5: W = 1, shares 1/2, so log p_1 / p_0 at x is
// (4 - 0) x - (16 - 0) / 2.
TEST(Discriminant, OfOneFeatureIsAsByHand) {
  const Matrix x{{-1.0, 1.0, 3.0, 5.0}};
  const ClassScatter scatter = class_scatter(test::pool(), x, {0, 0, 1, 1}, {2, 2});
  EXPECT_NEAR(scatter.within(0, 0), 1.0, 1e-15);
  EXPECT_NEAR(scatter.total, 5.0, 1e-15);
  const Matrix p = Discriminant(scatter, 0.0, 1).posteriors(x);
  for (Index i = 0; i < 4; ++i)
    EXPECT_NEAR(p(1, i), 1.0 / (1.0 + std::exp(-(4.0 * x(0, i) - 8.0))), 1e-14);
  const double mean = (p(0, 0) + p(0, 1) + p(1, 2) + p(1, 3)) / 4.0;
  EXPECT_NEAR(mean_own_posterior(p, {0, 0, 1, 1}), mean, 1e-15);
}

// Shrinkage of 1 leaves tr(W) / dim I, with the dimension of the features, not of the coordinates.
TEST(Discriminant, ShrinksTowardsTheMeanVariance) {
  const Matrix x{{-1.0, 1.0, 3.0, 5.0}};
  const ClassScatter scatter = class_scatter(test::pool(), x, {0, 0, 1, 1}, {2, 2});
  EXPECT_NEAR(Discriminant(scatter, 1.0, 4).whiten(Matrix{{3.0}})(0, 0), 6.0, 1e-14);
}

TEST(Discriminant, IsCertainWhereClassesDoNotVary) {
  const Matrix x{{0.0, 0.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 1.0}};
  const ClassScatter scatter = class_scatter(test::pool(), x, {0, 0, 1, 1}, {2, 2});
  const Matrix p = Discriminant(scatter, 1e-10, 2).posteriors(x);
  EXPECT_EQ(p(0, 0), 1.0);
  EXPECT_EQ(p(1, 2), 1.0);
}

}  // namespace
}  // namespace assay
