#include "metrics/ncc_loo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assay/features.h"
#include "fixture.h"

namespace assay {
namespace {

// Standardised by hand; for every sample all class means taken anew without it.
std::vector<double> brute_force(const Matrix& features, const std::vector<Label>& labels) {
  const Index n = features.rows();
  Matrix z = features.rowwise() - features.colwise().mean();
  for (Index j = 0; j < z.cols(); ++j) {
    const double deviation = std::sqrt(z.col(j).squaredNorm() / static_cast<double>(n));
    if (deviation > 1e-12) z.col(j) /= deviation;
    if (deviation <= 1e-12) z.col(j).setZero();
  }
  const Index classes = 1 + *std::max_element(labels.begin(), labels.end());
  std::vector<double> right;
  for (Index i = 0; i < n; ++i) {
    Label nearest = -1;
    double least = 0.0;
    for (Label c = 0; c < classes; ++c) {
      Vector mean = Vector::Zero(z.cols());
      double count = 0.0;
      for (Index k = 0; k < n; ++k) {
        if (k == i || labels[static_cast<std::size_t>(k)] != c) continue;
        mean += z.row(k).transpose();
        count += 1.0;
      }
      if (count == 0.0) continue;
      const double distance = (z.row(i).transpose() - mean / count).squaredNorm();
      if (nearest < 0 || distance < least) {
        nearest = c;
        least = distance;
      }
    }
    right.push_back(nearest == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0);
  }
  return right;
}

TEST(NccLoo, EqualsTheBruteForce) {
  for (const Index dim : {1, 6, 300}) {
    test::Sample s = test::blobs(4, 70, dim, 2.0);  // several tiles
    if (dim > 1) s.features.col(1).setConstant(3.0);
    const Score score = ncc_loo(test::samples_of(s));
    EXPECT_EQ(score.per_sample, brute_force(s.features, s.targets.labels)) << dim;
    EXPECT_GT(score.value, 0.25);
    EXPECT_TRUE(score.flags.empty());
  }
}

TEST(NccLoo, IsTheGoldenValue) {
  const Matrix features = test::matrix_of(*open_features(test::golden("round2/loo_tall_F.npy")));
  const Targets targets = load_targets(test::golden("round2/loo_tall_y.npy"));
  EXPECT_EQ(ncc_loo(test::samples_of(features, targets.labels)).value, 0.85);
}

// One feature, -1 -1 1 1 and a class of its own at 9: it is nearest to the others' means.
TEST(NccLoo, OfTheOnlySampleOfAClassIsWrong) {
  const Matrix features{{-1.0}, {-1.1}, {1.0}, {1.1}, {9.0}};
  const Score score = ncc_loo(test::samples_of(features, {0, 0, 1, 1, 2}));
  EXPECT_EQ(score.per_sample, (std::vector<double>{1.0, 1.0, 1.0, 1.0, 0.0}));
  EXPECT_EQ(score.flags, std::vector<std::string>{"few_per_class"});
}

TEST(NccLoo, IgnoresShiftsAndTheScaleOfEachFeature) {
  const test::Sample s = test::blobs(3, 40, 5, 2.0);
  Matrix mapped = s.features;
  for (Index j = 0; j < 5; ++j) mapped.col(j) *= std::pow(10.0, 2.0 * static_cast<double>(j) - 4.0);
  mapped.rowwise() += Eigen::RowVectorXd::LinSpaced(5, -100.0, 100.0);
  EXPECT_EQ(ncc_loo(test::samples_of(mapped, s.targets.labels)).per_sample,
            ncc_loo(test::samples_of(s)).per_sample);
}

TEST(NccLoo, OfConstantFeaturesIsFinite) {
  const test::Sample s = test::blobs(3, 10, 4, 0.0);
  const Score score = ncc_loo(test::samples_of(Matrix::Ones(30, 4), s.targets.labels));
  EXPECT_NEAR(score.value, 1.0 / 3.0, 1e-12);  // all distances are zero: the first class
}

}  // namespace
}  // namespace assay
