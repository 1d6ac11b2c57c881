#include "metrics/nonlinear_gain.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fixture.h"
#include "metrics/ridge_loo.h"

namespace assay {
namespace {

double gain_detail(const Score& score, const std::string& name) {
  for (const auto& [key, value] : score.details)
    if (key == name) return value;
  ADD_FAILURE() << name;
  return NAN;
}

// Kernel ridge regression fitted again without each row, by dense solves; the kernel centred once,
// as features are standardised once.
double refitted_accuracy(Matrix kernel, const std::vector<Label>& labels, Index classes) {
  const Index n = kernel.rows();
  const Matrix h = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  kernel = h * kernel * h;
  Matrix y = Matrix::Zero(n, classes);
  for (Index i = 0; i < n; ++i) y(i, labels[static_cast<std::size_t>(i)]) = 1.0;
  double least = std::numeric_limits<double>::infinity();
  double accuracy = 0.0;
  for (const double per_row : {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
    double squares = 0.0;
    double right = 0.0;
    for (Index i = 0; i < n; ++i) {
      std::vector<Index> others;
      for (Index k = 0; k < n; ++k)
        if (k != i) others.push_back(k);
      // Ridge with a free mean: [K + l I, 1; 1', 0].
      Matrix system = Matrix::Ones(n, n);
      system.topLeftCorner(n - 1, n - 1) = kernel(others, others);
      system.topLeftCorner(n - 1, n - 1).diagonal().array() += per_row * static_cast<double>(n);
      system(n - 1, n - 1) = 0.0;
      Matrix target = Matrix::Zero(n, classes);
      target.topRows(n - 1) = y(others, Eigen::all);
      const Matrix solved = Eigen::PartialPivLU<Matrix>(system).solve(target);
      const Vector predicted =
          (kernel(i, others) * solved.topRows(n - 1) + solved.row(n - 1)).transpose();
      squares += (y.row(i).transpose() - predicted).squaredNorm();
      Index named = 0;
      predicted.maxCoeff(&named);
      right += named == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
    }
    if (squares >= least) continue;
    least = squares;
    accuracy = right / static_cast<double>(n);
  }
  return accuracy;
}

TEST(NonlinearGain, IsThatOfRefittingWithoutEveryRow) {
  const test::Sample s = test::blobs(3, 12, 4, 2.5);
  Matrix z = s.features.rowwise() - s.features.colwise().mean();
  for (Index j = 0; j < 4; ++j) z.col(j) /= std::sqrt(z.col(j).squaredNorm() / 36.0);
  const Matrix linear = z * z.transpose() / 4.0;
  Matrix curved(36, 36);
  for (Index i = 0; i < 36; ++i) {
    for (Index j = 0; j < 36; ++j)
      curved(i, j) = 0.5 * (linear(i, j) + std::exp(-(z.row(i) - z.row(j)).squaredNorm() / 4.0));
  }
  const Score score = nonlinear_gain(test::samples_of(s));
  EXPECT_NEAR(gain_detail(score, "linear"), refitted_accuracy(linear, s.targets.labels, 3), 1e-12);
  EXPECT_NEAR(gain_detail(score, "nonlinear"), refitted_accuracy(curved, s.targets.labels, 3),
              1e-12);
  EXPECT_NEAR(score.value, gain_detail(score, "nonlinear") - gain_detail(score, "linear"), 1e-12);
}

// Classes by the sign of a product: nothing for a line, all for a curve.
TEST(NonlinearGain, FindsWhatALineCannotSee) {
  const Matrix features = test::gaussian(300, 2, 3);
  std::vector<Label> labels;
  for (Index i = 0; i < 300; ++i) labels.push_back(features(i, 0) * features(i, 1) > 0.0 ? 1 : 0);
  const Score score = nonlinear_gain(test::samples_of(features, labels));
  EXPECT_LT(gain_detail(score, "linear"), 0.65);
  EXPECT_GT(gain_detail(score, "nonlinear"), 0.9);
  EXPECT_GT(score.value, 0.3);
}

TEST(NonlinearGain, IsSmallWhereClassesAreBlobs) {
  EXPECT_NEAR(nonlinear_gain(test::samples_of(test::blobs(3, 60, 5, 1.5))).value, 0.0, 0.05);
}

// More rows than an n x n kernel is made of: a draw, the others left out of the mean.
TEST(NonlinearGain, OfManyRowsRestsOnADraw) {
  const Score score = nonlinear_gain(test::samples_of(test::blobs(2, 1200, 2, 2.0)));
  EXPECT_EQ(gain_detail(score, "rows"), 2048.0);
  EXPECT_EQ(score.flags, std::vector<std::string>{"drawn"});
  EXPECT_EQ(std::ranges::count_if(score.per_sample, [](double x) { return std::isnan(x); }), 352);
}

}  // namespace
}  // namespace assay
