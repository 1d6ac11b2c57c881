#include "metrics/sfda.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>

#include "fixture.h"

namespace assay {
namespace {

bool sfda_has(const Score& score, const std::string& flag) {
  return std::ranges::find(score.flags, flag) != score.flags.end();
}

TEST(Sfda, IgnoresRotationsAndShiftsButNotScale) {
  const test::Sample s = test::blobs(3, 20, 6, 2.0);
  const double plain = sfda(test::samples_of(s)).value;
  const Matrix rotation = test::gaussian(6, 6, 3).householderQr().householderQ();
  const Matrix moved = (s.features * rotation).array() + 5.0;
  EXPECT_NEAR(sfda(test::samples_of(moved, s.targets.labels)).value, plain, 1e-10);
  // Small features are shrunk to their means' distances.
  EXPECT_GT(std::abs(sfda(test::samples_of(0.01 * s.features, s.targets.labels)).value - plain),
            1e-4);
}

// n < D: any labelling is separated, and the flag says so.
TEST(Sfda, SaturatesOnNoiseInManyDimensions) {
  const Matrix noise = 10.0 * test::gaussian(30, 60, 4);
  const Score score = sfda(test::samples_of(noise, test::blobs(3, 10, 2, 1.0).targets.labels));
  EXPECT_NEAR(score.value, 1.0, 1e-9);
  EXPECT_TRUE(sfda_has(score, "saturated"));
  EXPECT_FALSE(sfda_has(sfda(test::samples_of(test::blobs(3, 20, 6, 2.0))), "saturated"));
}

// Without variance only the shares are left: (2/4)^2 + (1/4)^2 + (1/4)^2.
TEST(Sfda, OfConstantFeaturesIsTheShareOfTheOwnClass) {
  EXPECT_NEAR(sfda(test::samples_of(Matrix::Ones(4, 2), {0, 0, 1, 2})).value, 0.375, 1e-15);
}

}  // namespace
}  // namespace assay
