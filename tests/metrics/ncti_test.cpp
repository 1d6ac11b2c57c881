#include "metrics/ncti.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "fixture.h"

namespace assay {
namespace {

// One constant posterior per class: P_c is n_c x C of rows `shares`, of nuclear norm
// sqrt(n_c) |shares|.
TEST(Ncti, OfConstantFeaturesKnowsTheSharesOnly) {
  const Score score = ncti(test::samples_of(Matrix::Ones(4, 2), {0, 0, 1, 2}));
  const double length = std::sqrt(0.25 + 0.0625 + 0.0625);
  ASSERT_EQ(score.variants.size(), 3U);
  EXPECT_NEAR(score.variants[0], -(std::sqrt(2.0) + 2.0) * length, 1e-14);
  EXPECT_EQ(score.variants[1], 0.0);
  EXPECT_NEAR(score.variants[2], 0.375, 1e-15);
}

// In whitened coordinates of one direction: W = 1 and means 0, 4, so samples -3, -1, 1, 3 about the
// mean, of length sqrt(20). Their variance of 20/3 leaves exp(-20/3) of shrinkage, which in one
// dimension changes nothing.
TEST(Ncti, OfOneFeatureIsAsByHand) {
  const Score score = ncti(test::samples_of(Matrix{{-1.0}, {1.0}, {3.0}, {5.0}}, {0, 0, 1, 1}));
  EXPECT_NEAR(score.variants[1], std::sqrt(20.0), 1e-12);
  const double near = 1.0 / (1.0 + std::exp(-4.0));
  const double far = 1.0 / (1.0 + std::exp(-12.0));
  EXPECT_NEAR(score.variants[2], 0.5 * (near + far), 1e-14);
}

TEST(Ncti, IgnoresRotationsAndShifts) {
  const test::Sample s = test::blobs(3, 20, 6, 2.0);
  const Score plain = ncti(test::samples_of(s));
  const Matrix rotation = test::gaussian(6, 6, 3).householderQr().householderQ();
  const Matrix moved = (s.features * rotation).array() + 5.0;
  const Score other = ncti(test::samples_of(moved, s.targets.labels));
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(other.variants[k], plain.variants[k], 1e-9 * std::abs(plain.variants[k]));
}

TEST(Ncti, SaturatesOnNoiseInManyDimensions) {
  const Matrix noise = 10.0 * test::gaussian(30, 60, 4);
  const Score score = ncti(test::samples_of(noise, test::blobs(3, 10, 2, 1.0).targets.labels));
  EXPECT_NEAR(score.variants[2], 1.0, 1e-9);
  EXPECT_EQ(score.flags, std::vector<std::string>{"saturated"});
}

}  // namespace
}  // namespace assay
