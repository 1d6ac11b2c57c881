#include "metrics/gbc.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "fixture.h"

namespace assay {
namespace {

double overlap_detail(const Score& score, const std::string& name) {
  for (const auto& [key, value] : score.details)
    if (key == name) return value;
  ADD_FAILURE() << name;
  return NAN;
}

// One feature, classes at -1, 1 and 3, 7: variances 1 and 4, so v = 2.5, |m - m'| = 5 and
// B = 25 / 20 + 1/2 log(2.5 / 2); both orders count.
TEST(Gbc, OfOneFeatureIsAsByHand) {
  const double b = 25.0 / 20.0 + 0.5 * std::log(1.25);
  const Score score = gbc(test::samples_of(Matrix{{-1.0}, {1.0}, {3.0}, {7.0}}, {0, 0, 1, 1}));
  EXPECT_NEAR(score.value, -2.0 * std::exp(-b), 1e-14);
  EXPECT_NEAR(overlap_detail(score, "log_overlap"), -b, 1e-14);
  EXPECT_EQ(score.flags, std::vector<std::string>{"few_per_class"});
}

TEST(Gbc, IgnoresRotationsShiftsAndACommonScale) {
  const test::Sample s = test::blobs(3, 20, 6, 1.0);
  const double plain = gbc(test::samples_of(s)).value;
  const Matrix rotation = test::gaussian(6, 6, 3).householderQr().householderQ();
  for (const double scale : {1.0, 1e-12, 1e12}) {
    const Matrix moved = scale * (s.features * rotation).array() + 5.0 * scale;
    EXPECT_NEAR(gbc(test::samples_of(moved, s.targets.labels)).value, plain, 1e-10);
  }
}

// Classes that coincide overlap wholly: every ordered pair counts 1.
TEST(Gbc, OfConstantFeaturesCountsAllPairs) {
  const Score score =
      gbc(test::samples_of(Matrix::Ones(20, 4), test::blobs(4, 5, 2, 1.0).targets.labels));
  EXPECT_NEAR(score.value, -12.0, 1e-12);
  EXPECT_NEAR(overlap_detail(score, "log_overlap"), 0.0, 1e-12);
}

// The sum vanishes in double; its logarithm still orders models.
TEST(Gbc, SaysWhenTheOverlapVanishes) {
  const test::Sample s = test::blobs(3, 20, 6, 1e-4);
  const test::Sample nearer = test::blobs(3, 20, 6, 2e-4);
  const Score far = gbc(test::samples_of(s));
  EXPECT_EQ(far.value, 0.0);
  EXPECT_EQ(far.flags, std::vector<std::string>{"underflow"});
  EXPECT_LT(overlap_detail(far, "log_overlap"),
            overlap_detail(gbc(test::samples_of(nearer)), "log_overlap"));
}

// A class of one sample must not seem infinitely sharp: it takes the pooled variance.
TEST(Gbc, GivesASingleSampleThePooledVariance) {
  const Matrix features{{-1.0}, {1.0}, {3.0}, {5.0}, {2.0}};
  // Variances 1 and 1, pooled over five samples 4/5; B to the third class (at 2) from 0 and 4:
  const double v = 0.5 * (1.0 + 0.8);
  const double near = std::exp(-(4.0 / (8.0 * v) + 0.5 * std::log(v / std::sqrt(0.8))));
  const double far = std::exp(-16.0 / 8.0);
  EXPECT_NEAR(gbc(test::samples_of(features, {0, 0, 1, 1, 2})).value, -2.0 * (far + 2.0 * near),
              1e-12);
}

// 80 dimensions: only the first 64 components are seen.
TEST(Gbc, SeesTheFirstComponentsOnly) {
  test::Sample s = test::blobs(3, 60, 80, 1.0);
  const double before = gbc(test::samples_of(s)).value;
  Matrix more(180, 82);
  more << s.features, 1e-6 * test::gaussian(180, 2, 8);
  EXPECT_NEAR(gbc(test::samples_of(more, s.targets.labels)).value, before, 1e-6);
}

}  // namespace
}  // namespace assay
