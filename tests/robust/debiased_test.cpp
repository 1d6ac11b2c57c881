#include "robust/debiased.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden.h"
#include "golden_json.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;

double half_distance(const DebiasedClassifier& one) {
  return one.gap > 0.0 ? one.gap / std::sqrt(one.variance) : 0.0;
}

GaussianPair golden_pair(Index samples_of_a_class) {
  const json golden = test::golden_json("round2/robust_half_distance.json");
  GaussianPair pair;
  const Index r = static_cast<Index>(golden.at("variances").size());
  pair.variances = test::columns_of(golden.at("variances"), r);
  pair.half_gap = test::columns_of(golden.at("half_gap"), r);
  pair.counts = {samples_of_a_class, samples_of_a_class};
  return pair;
}

// With samples without end nothing is left to correct: the values of a program that solved the
// ball problem by brute force.
TEST(DebiasedClassifier, HasTheGoldenHalfDistancesOfAKnownPopulation) {
  const GaussianPair pair = golden_pair(Index{1} << 50);
  const json golden = test::golden_json("round2/robust_half_distance.json").at("half_distance");
  for (const auto& [epsilon, value] : golden.items()) {
    const Budget budget{.epsilon = std::stod(epsilon)};
    EXPECT_NEAR(half_distance(debiased_classifier(pair, budget)), value.get<double>(), 1e-9);
  }
}

// The exact mean of D^2 from normal samples, solved for the truth.
TEST(DebiasedClassifier, IsTheUnbiasedHalfDistanceAtEpsilonZero) {
  GaussianPair pair = golden_pair(0);
  pair.counts = {70, 50};
  const double n = 120.0;
  const auto r = static_cast<double>(pair.rank());
  const double square = 4.0 * pair.half_gap.cwiseAbs2().cwiseQuotient(pair.variances).sum();
  const double expected =
      ((n - 3.0 - r) / (n - 2.0) * square - r * (1.0 / 70.0 + 1.0 / 50.0)) / 4.0;
  const DebiasedClassifier found = debiased_classifier(pair, {.epsilon = 0.0});
  EXPECT_NEAR(found.gap, expected, 1e-12 * expected);
  EXPECT_EQ(found.gap, found.variance);
}

TEST(DebiasedClassifier, GoesOverIntoEpsilonZero) {
  const GaussianPair pair = golden_pair(5000);
  const double none = half_distance(debiased_classifier(pair, {.epsilon = 0.0}));
  const double little = half_distance(debiased_classifier(pair, {.epsilon = 1e-6}));
  EXPECT_NEAR(little / none, 1.0, 1.0 / 5000.0);  // nu - r in place of nu - 1 - r
}

TEST(DebiasedClassifier, TakesAnAbsoluteEpsilon) {
  const GaussianPair pair = golden_pair(2000);
  const double length =
      std::sqrt(pair.half_gap.squaredNorm() - pair.mean_noise() * pair.variances.sum());
  const DebiasedClassifier share = debiased_classifier(pair, {.epsilon = 0.4});
  const DebiasedClassifier distance =
      debiased_classifier(pair, {.epsilon = 0.4 * length, .relative = false});
  EXPECT_NEAR(share.gap, distance.gap, 1e-9 * share.gap);
  EXPECT_NEAR(share.variance, distance.variance, 1e-9 * share.variance);
  const DebiasedClassifier covered =
      debiased_classifier(pair, {.epsilon = 1.01 * length, .relative = false});
  EXPECT_EQ(covered.gap, 0.0);
}

// Numbers of a representation of twice the length, or half.
TEST(DebiasedClassifier, DoesNotDependOnTheUnitOfTheFeatures) {
  const GaussianPair pair = golden_pair(300);
  for (const double unit : {1e-30, 1e-3, 1e30}) {
    GaussianPair scaled = pair;
    scaled.half_gap *= unit;
    scaled.variances *= unit * unit;
    for (const double epsilon : {0.0, 0.3, 0.9}) {
      EXPECT_NEAR(half_distance(debiased_classifier(scaled, {.epsilon = epsilon})),
                  half_distance(debiased_classifier(pair, {.epsilon = epsilon})), 1e-9)
          << unit << " " << epsilon;
    }
  }
}

// A gap that noise alone explains is none; nothing becomes NaN.
TEST(DebiasedClassifier, IsClippedAtZero) {
  GaussianPair pair = golden_pair(40);
  pair.half_gap *= 1e-3;
  for (const double epsilon : {0.0, 0.2, 0.8}) {
    const DebiasedClassifier found = debiased_classifier(pair, {.epsilon = epsilon});
    EXPECT_EQ(found.gap, 0.0) << epsilon;
    EXPECT_EQ(found.variance, 0.0) << epsilon;
  }
}

// The derivatives that standard errors rest on, against differences of the whole computation.
TEST(DebiasedClassifier, SaysHowItMovesWithTheMeans) {
  const GaussianPair pair = golden_pair(200);
  for (const double epsilon : {0.0, 0.3, 0.7}) {
    const Budget budget{.epsilon = epsilon};
    const DebiasedClassifier at = debiased_classifier(pair, budget);
    const Vector inverse = (pair.variances.array() + at.ridge).inverse();
    for (Index k = 0; k < pair.rank(); ++k) {
      const double step = 1e-5 * pair.half_gap.norm();
      const auto moved = [&](double by) {
        GaussianPair other = pair;
        other.half_gap[k] += by;
        return debiased_classifier(other, budget);
      };
      const double twice = 2.0 * pair.half_gap[k];
      const auto slope = [&](const Sensitivity& by) {
        return twice * (by.plain * inverse[k] + by.squared * inverse[k] * inverse[k] + by.length);
      };
      const DebiasedClassifier more = moved(step);
      const DebiasedClassifier less = moved(-step);
      EXPECT_NEAR(slope(at.gap_by), (more.gap - less.gap) / (2.0 * step),
                  1e-4 * at.gap / pair.half_gap.norm());
      EXPECT_NEAR(slope(at.variance_by), (more.variance - less.variance) / (2.0 * step),
                  1e-4 * at.variance / pair.half_gap.norm());
    }
  }
}

TEST(WhyNotDebiased, NamesWhatIsMissing) {
  GaussianPair pair = golden_pair(0);
  pair.counts = {pair.rank() / 2 + 2, pair.rank() - pair.rank() / 2 + 2};  // n = r + 4
  EXPECT_EQ(why_not_debiased(pair, {.epsilon = 0.2}), "");
  EXPECT_NE(why_not_debiased(pair, {.epsilon = 0.2, .norm = Norm::one}), "");
  EXPECT_EQ(why_not_debiased(pair, {.epsilon = 0.0, .norm = Norm::one}), "");
  --pair.counts[0];  // n - 3 - r = 0
  EXPECT_NE(why_not_debiased(pair, {.epsilon = 0.2}).find("samples"), std::string::npos);
}

}  // namespace
}  // namespace assay
