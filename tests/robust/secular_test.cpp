#include "robust/secular.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support.h"

namespace assay {
namespace {

// Variances spread evenly in logarithm over [1 / condition, 1].
Vector log_spaced(Index count, double condition) {
  Vector out(count);
  for (Index i = 0; i < count; ++i)
    out[i] = std::pow(condition, -static_cast<double>(i) / static_cast<double>(count - 1));
  return out;
}

// min (mu - z)' Lambda^-1 (mu - z) over |z| <= eps: with w = Lambda^-1 (mu - z), optimality is
// mu = z + Lambda w, z = tau w with tau >= 0, |z| = eps. No division by lambda, which at a
// condition number of 1e12 would test the rounding of z and nothing else.
void expect_optimal(const Vector& mu, const Vector& lambda, double ratio) {
  const double tau = secular_root(mu, lambda, ratio);
  ASSERT_TRUE(std::isfinite(tau));
  ASSERT_GT(tau, 0.0);
  const Vector w = mu.cwiseQuotient((lambda.array() + tau).matrix());
  const Vector z = tau * w;
  EXPECT_LT((z + lambda.cwiseProduct(w) - mu).norm(), 1e-10 * mu.norm());
  EXPECT_NEAR(z.norm() / (ratio * mu.norm()), 1.0, 1e-10) << ratio;
}

TEST(SecularRoot, SatisfiesTheConditionsOfOptimalityForAnyCondition) {
  for (const double condition : {1.0, 1e3, 1e6, 1e9, 1e12}) {
    const Vector lambda = log_spaced(50, condition);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Vector mu = test::gaussian(50, 1, seed);
      for (const double ratio : {1e-12, 1e-6, 0.05, 0.2, 0.5, 0.8, 0.99, 1.0 - 1e-9}) {
        expect_optimal(mu, lambda, ratio);
        // The gap where the variance is least, or largest: both ends of the bracket.
        expect_optimal(mu.cwiseProduct(lambda.cwiseSqrt()), lambda, ratio);
        expect_optimal(mu.cwiseQuotient(lambda.cwiseSqrt()), lambda, ratio);
      }
    }
  }
}

TEST(SecularRoot, IsTheVarianceTimesTheOddsWhenVariancesAreEqual) {
  // |z| = |mu| tau / (tau + 3) = 0.25 |mu| at tau = 1.
  EXPECT_NEAR(secular_root(Vector::Ones(4), Vector::Constant(4, 3.0), 0.25), 1.0, 1e-14);
}

TEST(SecularRoot, ScalesWithTheVariances) {
  const Vector mu = test::gaussian(20, 1, 5);
  const Vector lambda = log_spaced(20, 1e4);
  const double tau = secular_root(mu, lambda, 0.3);
  for (const double unit : {1e-150, 1e-20, 1e20, 1e150}) {
    EXPECT_NEAR(secular_root(mu, unit * lambda, 0.3) / unit, tau, 1e-12 * tau);
    EXPECT_NEAR(secular_root(unit * mu, lambda, 0.3), tau, 1e-12 * tau);
  }
}

TEST(SecularRoot, TakesGapsThatAreZeroInMostDirections) {
  Vector mu = Vector::Zero(5);
  mu[3] = 2.0;
  Vector lambda(5);
  lambda << 1e6, 1.0, 0.5, 0.1, 1e-6;
  EXPECT_NEAR(secular_root(mu, lambda, 0.5), 0.1, 1e-14);  // tau / (tau + 0.1) = 1 / 2
}

}  // namespace
}  // namespace assay
