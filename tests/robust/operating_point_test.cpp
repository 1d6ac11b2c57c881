#include "robust/operating_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "golden.h"

namespace assay {
namespace {

using nlohmann::json;

TEST(ReferencePoint, HasTheGoldenCurve) {
  const json raw = test::synbench_golden().at("raw");
  const std::vector<double> scales = test::paper_scales();
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const OperatingPoint point = reference_point(scales[i], 0.0, 0.5);
    EXPECT_NEAR(point.accuracy, raw["accuracy"][i].get<double>(), 1e-13);
    const double bound = raw["bound"][i].get<double>();
    EXPECT_NEAR(point.bound, bound, 1e-12 * bound);
  }
}

TEST(ReferencePoint, IsTheSameForEveryEpsilonWhenClassesAreEqual) {
  const OperatingPoint zero = reference_point(1.3, 0.0, 0.5);
  const OperatingPoint most = reference_point(1.3, 0.9, 0.5);
  EXPECT_NEAR(zero.accuracy, most.accuracy, 1e-14);
  EXPECT_NEAR(zero.bound, most.bound, 1e-14);
  // Result 2.1: unequal classes shift the boundary by q / (2 (1 - eps) |mu|).
  EXPECT_GT(
      std::abs(reference_point(1.3, 0.5, 0.2).accuracy - reference_point(1.3, 0.0, 0.2).accuracy),
      1e-3);
}

// Results 2.2 and 2.3, and their extension to unequal classes, against sampling: x in five
// dimensions with a covariance that is no multiple of the identity.
TEST(ExpectedPoint, AgreesWithSampling) {
  constexpr Index dim = 5;
  constexpr Index samples = 400000;
  GaussianPair pair;
  pair.basis = Matrix::Identity(dim, dim);
  pair.midpoint = Vector::Zero(dim);
  pair.variances = Vector(dim);
  pair.variances << 3.0, 2.0, 1.0, 0.5, 0.1;
  pair.half_gap = Vector(dim);
  pair.half_gap << 0.4, -0.3, 0.5, 0.2, 0.15;
  for (const double prior : {0.5, 0.3}) {
    for (const double epsilon : {0.0, 0.4, 0.8}) {
      const auto bayes = robust_bayes(pair, {.epsilon = epsilon});
      ASSERT_TRUE(bayes.has_value());
      Random random(17);
      std::vector<double> scores;
      std::vector<Label> labels;
      for (Index i = 0; i < samples; ++i) {
        labels.push_back(random.uniform() < prior ? 1 : 0);
        double score = 0.0;
        for (Index k = 0; k < dim; ++k) {
          const double sign = labels.back() == 1 ? 1.0 : -1.0;
          const double x = sign * pair.half_gap[k] + std::sqrt(pair.variances[k]) * random.normal();
          score += x * bayes->weights[k];
        }
        scores.push_back(score);
      }
      const double gap = pair.half_gap.dot(bayes->weights);
      const OperatingPoint measured = measured_point(scores, labels, gap, prior);
      const OperatingPoint expected = expected_point(pair, *bayes, prior);
      const double sd = std::sqrt(expected.accuracy * (1.0 - expected.accuracy) / samples);
      EXPECT_NEAR(measured.accuracy, expected.accuracy, 4.0 * sd);
      // The bound of one sample has a standard deviation of about its mean or less.
      EXPECT_NEAR(measured.bound, expected.bound,
                  4.0 * expected.bound / std::sqrt(expected.accuracy * samples));
    }
  }
}

// Result 2.1 worked by hand: S = I, mu = (2, 0), eps = 1/2, p = 1/4. w = mu / 2 = (1, 0),
// q / 2 = ln 3 / 2; a sample at (1, 5) of class 1 is at distance 1 - ln 3 / 2 from the boundary,
// and at half of that in units of |mu|.
TEST(MeasuredPoint, ShiftsTheBoundaryOfUnequalClasses) {
  GaussianPair pair;
  pair.basis = Matrix::Identity(2, 2);
  pair.midpoint = Vector::Zero(2);
  pair.variances = Vector::Ones(2);
  pair.half_gap = Vector(2);
  pair.half_gap << 2.0, 0.0;
  const auto bayes = robust_bayes(pair, {.epsilon = 0.5});
  ASSERT_TRUE(bayes.has_value());
  EXPECT_NEAR(bayes->weights[0], 1.0, 1e-14);
  const std::vector<double> scores = {1.0};
  const std::vector<Label> labels = {1};
  const OperatingPoint point =
      measured_point(scores, labels, pair.half_gap.dot(bayes->weights), 0.25);
  EXPECT_EQ(point.accuracy, 1.0);
  EXPECT_NEAR(point.bound, (1.0 - 0.5 * std::log(3.0)) / 2.0, 1e-14);
}

TEST(MeasuredPoint, IsZeroWhenNothingIsRight) {
  const std::vector<double> scores = {1.0, -1.0};
  const std::vector<Label> labels = {0, 1};
  const OperatingPoint point = measured_point(scores, labels, 1.0, 0.5);
  EXPECT_EQ(point.accuracy, 0.0);
  EXPECT_EQ(point.bound, 0.0);
}

}  // namespace
}  // namespace assay
