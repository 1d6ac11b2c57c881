#include "metrics/cka.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "fixture.h"
#include "metrics/make_problem.h"

namespace assay {
namespace {

// The definition, n x n: H K H and H L H with H = I - 11'/n.
double direct_alignment(const Matrix& features, const std::vector<Label>& labels) {
  const Index n = features.rows();
  const Matrix h = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  Matrix same(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      same(i, j) = labels[static_cast<std::size_t>(i)] == labels[static_cast<std::size_t>(j)];
  }
  const Matrix k = h * features * features.transpose() * h;
  const Matrix l = h * same * h;
  return k.cwiseProduct(l).sum() / (k.norm() * l.norm());
}

double alignment_of(const Matrix& features, const std::vector<Label>& labels, bool center = false) {
  const Rows rows = rows_of_matrix(features, "features");
  return cka(make_problem(test::pool(), *rows, test::class_targets(labels), center, Index{1} << 30))
      .value;
}

TEST(Cka, EqualsItsDefinitionOnBothSides) {
  for (const Index dim : {1, 5, 29, 30, 60}) {
    const test::Sample s = test::blobs(3, 10, dim, 1.0);
    std::vector<Label> uneven = s.targets.labels;
    for (std::size_t i = 0; i < 8; ++i) uneven[i] = 0;
    for (const auto& labels : {s.targets.labels, uneven}) {
      EXPECT_NEAR(alignment_of(s.features, labels), direct_alignment(s.features, labels), 1e-12)
          << dim;
      EXPECT_NEAR(alignment_of(s.features, labels, true), direct_alignment(s.features, labels),
                  1e-12)
          << dim;
    }
  }
}

TEST(Cka, IsTheSameFarFromZero) {
  for (const Index dim : {5, 60}) {
    const test::Sample s = test::blobs(3, 10, dim, 1.0);
    const Matrix far = s.features.array() + 1e4;
    EXPECT_NEAR(alignment_of(far, s.targets.labels), alignment_of(s.features, s.targets.labels),
                1e-6);
  }
}

// Features that are the labels themselves.
TEST(Cka, OfOneHotLabelsIsOne) {
  const test::Sample s = test::blobs(4, 10, 3, 1.0);
  Matrix hot = Matrix::Zero(40, 4);
  for (Index i = 0; i < 40; ++i) hot(i, s.targets.labels[static_cast<std::size_t>(i)]) = 2.0;
  EXPECT_NEAR(alignment_of(hot, s.targets.labels), 1.0, 1e-12);
}

TEST(Cka, IgnoresRotationsShiftsAndACommonScale) {
  const test::Sample s = test::blobs(3, 20, 6, 1.0);
  const Matrix rotation = test::gaussian(6, 6, 3).householderQr().householderQ();
  const Matrix moved = (1e3 * s.features * rotation).array() + 7.0;
  EXPECT_NEAR(alignment_of(moved, s.targets.labels), alignment_of(s.features, s.targets.labels),
              1e-12);
}

TEST(Cka, OfConstantFeaturesIsZero) {
  EXPECT_EQ(alignment_of(Matrix::Ones(12, 3), {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}), 0.0);
}

// `chance` against the mean over shuffled labels: within four of its standard errors.
TEST(Cka, SaysWhatShuffledLabelsScore) {
  const test::Sample s = test::blobs(3, 10, 4, 1.0);
  const Rows rows = rows_of_matrix(s.features, "features");
  const Score score = cka(make_problem(test::pool(), *rows, s.targets, false, Index{1} << 30));
  ASSERT_EQ(score.details.front().first, "chance");
  Random random(5);
  constexpr int shuffles = 400;
  double sum = 0.0;
  double square = 0.0;
  for (int k = 0; k < shuffles; ++k) {
    std::vector<Label> shuffled;
    for (const Index i : random.permutation(30))
      shuffled.push_back(s.targets.labels[static_cast<std::size_t>(i)]);
    const double one = direct_alignment(s.features, shuffled);
    sum += one;
    square += one * one;
  }
  const double mean = sum / shuffles;
  const double error = std::sqrt((square / shuffles - mean * mean) / shuffles);
  EXPECT_NEAR(score.details.front().second, mean, 4.0 * error);
}

}  // namespace
}  // namespace assay
