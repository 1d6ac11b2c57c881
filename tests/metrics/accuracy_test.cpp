// Tests: metrics/learning_curve, metrics/dealt_folds.
#include "metrics/accuracy.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>

#include "fixture.h"
#include "learn/held_out_probe.h"
#include "learn/ridge_space.h"
#include "learn/standardize.h"
#include "metrics/average_precision.h"
#include "metrics/learning_curve.h"
#include "metrics/real_targets.h"

namespace assay {
namespace {

double detail_named(const Score& score, const std::string& name) {
  for (const auto& [key, value] : score.details)
    if (key == name) return value;
  return NAN;
}

// Newton's method on the whole problem without one fold, intercept free up to 1e-4 of the penalty.
Matrix log_probabilities_without(const Matrix& z, const std::vector<Label>& labels, Index classes,
                                 const std::vector<Index>& folds, Index fold, double strength) {
  std::vector<Index> kept;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (folds[i] != fold) kept.push_back(static_cast<Index>(i));
  Matrix x(z.cols(), z.rows() + 1);
  x << z.transpose(), Vector::Constant(z.cols(), 100.0);
  const Index d = x.cols();
  Matrix theta = Matrix::Zero(d, classes);
  for (int step = 0; step < 200; ++step) {
    Matrix gradient = theta / strength;
    Matrix hessian = Matrix::Identity(d * classes, d * classes) / strength;
    for (const Index i : kept) {
      Vector p = (x.row(i) * theta).transpose();
      p = (p.array() - p.maxCoeff()).exp();
      p /= p.sum();
      Vector g = p;
      g[labels[static_cast<std::size_t>(i)]] -= 1.0;
      gradient += x.row(i).transpose() * g.transpose();
      const Matrix w = Matrix(p.asDiagonal()) - p * p.transpose();
      for (Index a = 0; a < classes; ++a)
        for (Index b = 0; b < classes; ++b)
          hessian.block(a * d, b * d, d, d) += w(a, b) * x.row(i).transpose() * x.row(i);
    }
    const Vector g = Eigen::Map<const Vector>(gradient.data(), gradient.size());
    const Vector change = hessian.ldlt().solve(g);
    theta -= Eigen::Map<const Matrix>(change.data(), d, classes);
  }
  Matrix logits = (x * theta).transpose();
  for (Index i = 0; i < logits.cols(); ++i) {
    const double top = logits.col(i).maxCoeff();
    logits.col(i).array() -= top + std::log((logits.col(i).array() - top).exp().sum());
  }
  return logits;
}

TEST(HeldOutProbes, AreTheFitsWithoutEachFold) {
  const test::Sample s = test::blobs(3, 12, 4, 1.0);
  std::vector<Index> folds;
  for (Index i = 0; i < 36; ++i) folds.push_back((i * 7) % 5);
  HeldOutProbes probes(test::pool(), s.features.transpose(), s.targets.labels, 3);
  const HeldOutProbes::ByFolds got = probes.by_folds(folds, 5, 0.1, {});
  ASSERT_EQ(got.tested.size(), 36U);
  Matrix z = s.features.transpose();
  fit_standardizer(z).apply(z);
  for (Index fold = 0; fold < 5; ++fold) {
    const Matrix expected = log_probabilities_without(z, s.targets.labels, 3, folds, fold, 0.1);
    for (Index i = 0; i < 36; ++i) {
      if (folds[static_cast<std::size_t>(i)] != fold) continue;
      EXPECT_LT((got.held_out.log_probabilities.col(i) - expected.col(i)).cwiseAbs().maxCoeff(),
                5e-3);
    }
  }
}

// By refitting with the normal equations; either side of n = D.
TEST(RidgeSpace, AgreesWithRefits) {
  for (const Index dim : {4, 50}) {
    const Matrix x = test::gaussian(30, dim, 3);
    const Matrix y = test::gaussian(30, 2, 4);
    Matrix z = x.transpose();
    fit_standardizer(z).apply(z);
    Matrix with(dim + 1, 30);
    with << z, Matrix::Constant(1, 30, 100.0);
    std::vector<Index> parts;
    std::vector<Index> alone;
    for (Index i = 0; i < 30; ++i) {
      parts.push_back(i % 3);
      alone.push_back(i);
    }
    const RidgeSpace space(test::pool(), x.transpose(), y);
    const auto refit = [&](const std::vector<Index>& part_of, Index count) {
      Matrix out(30, 2);
      for (Index part = 0; part < count; ++part) {
        Matrix s = 3.0 * Matrix::Identity(dim + 1, dim + 1);
        Matrix b = Matrix::Zero(dim + 1, 2);
        for (Index i = 0; i < 30; ++i) {
          if (part_of[static_cast<std::size_t>(i)] == part) continue;
          s += with.col(i) * with.col(i).transpose();
          b += with.col(i) * y.row(i);
        }
        const Matrix w = s.ldlt().solve(b);
        for (Index i = 0; i < 30; ++i)
          if (part_of[static_cast<std::size_t>(i)] == part)
            out.row(i) = with.col(i).transpose() * w;
      }
      return out;
    };
    EXPECT_LT((space.without_each(3.0) - refit(alone, 30)).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT(
        (space.without_parts(parts, 3, {3.0}).front() - refit(parts, 3)).cwiseAbs().maxCoeff(),
        1e-8);
  }
}

// scikit-learn: average_precision_score([1,0,1,1,0], [.9,.8,.7,.3,.1]) = (1 + 2/3 + 3/4) / 3.
TEST(AveragePrecision, IsTheMeanPrecisionAtPositives) {
  const Matrix y{{1}, {0}, {1}, {1}, {0}};
  const Matrix scores{{0.9}, {0.8}, {0.7}, {0.3}, {0.1}};
  const std::vector<double> added = average_precision_by_sample(y, scores);
  EXPECT_NEAR(std::accumulate(added.begin(), added.end(), 0.0) / 5.0,
              (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0, 1e-12);
}

TEST(Accuracy, ExtrapolatesFromHalfAndNineTenths) {
  const Score score = accuracy(test::samples_of(test::blobs(4, 40, 12, 2.0)));
  const double held_out = detail_named(score, "held_out");
  const double weight =
      0.5 * (0.125 + (std::pow(0.9, -0.5) - 1.0) / (std::sqrt(2.0) - std::pow(0.9, -0.5)));
  EXPECT_NEAR(score.value,
              std::min(1.0, held_out + weight * (held_out - detail_named(score, "half"))), 1e-12);
  EXPECT_EQ(score.per_class.size(), 4U);
  EXPECT_NEAR(detail_named(score, "chance"), 0.25, 1e-12);
}

// Probes of different folds agree on these; a few folds tell as much as all.
TEST(Accuracy, OfManySamplesTestsAsManyAsItTakes) {
  const Score score = accuracy(test::samples_of(test::blobs(3, 2000, 4, 1.0)));
  EXPECT_GE(detail_named(score, "tested"), 600.0);
  EXPECT_LT(detail_named(score, "tested"), 3000.0);
  EXPECT_NEAR(detail_named(score, "held_out"), detail_named(score, "half"), 0.01);
}

TEST(LearningCurve, OfSomeFoldsHasTheMeanOfAllHalvesAndTheGainOfThoseTested) {
  const std::vector<double> half = {1, 0, 1, 0, 1, 0};
  const std::vector<double> folds = {0, 1, 1, 1, 0, 0};  // only the first three were tested
  const std::vector<double> added = by_some_folds(half, folds, {0, 1, 2});
  EXPECT_NEAR(std::accumulate(added.begin(), added.end(), 0.0) / 6.0, 0.5 + 0.0, 1e-12);
  EXPECT_NEAR(std::accumulate(added.begin(), added.begin() + 3, 0.0), 2.0, 1e-12);
  // Gains -1, 1, 0, and one row more: sqrt(1 + 2) / 3.
  EXPECT_NEAR(gain_error(half, folds, {0, 1, 2}), std::sqrt(3.0) / 3.0, 1e-12);
}

// However steep the curve or short of rows: 2 per class gave -0.07.
TEST(LearningCurve, NeverLeavesTheRangeOfTheMeasure) {
  const auto value = [](double half, double folds, double least) {
    return extrapolated({{half, half}, {folds, folds}, 10, 1.0}, least).value;
  };
  EXPECT_EQ(value(0.5, 0.0, 0.0), 0.0);
  EXPECT_EQ(value(0.2, 0.99, 0.0), 1.0);
  EXPECT_NEAR(value(0.99, 1.004, 0.0), 1.0, 1e-12);  // of the folds tested alone
  EXPECT_NEAR(value(0.01, -0.004, 0.0), 0.0, 1e-12);
  EXPECT_LT(value(0.5, 0.0, -1.0), 0.0);  // an R2 may be negative
}

// A ridge fit errs in all directions alike where the penalty treats them alike; the intercept's own
// is not among them.
TEST(RidgeSpace, CountsTheDirectionsInWhichAFitErrs) {
  Matrix x = test::gaussian(500, 6, 3);
  const RidgeSpace space(test::pool(), x.transpose(), test::gaussian(500, 1, 4));
  EXPECT_NEAR(space.directions(1e-9), 6.0, 1e-6);
  EXPECT_NEAR(space.directions(1e12), 6.0, 0.5);
}

TEST(Accuracy, OfNumbersIsNearTheShareOfVarianceThatIsLinear) {  // y = x0 + noise, R2 = 1/2
  const Matrix x = test::gaussian(2000, 5, 7);
  const Matrix y = x.col(0) + test::gaussian(2000, 1, 8);
  const Samples samples(test::pool(), x.transpose(), TargetValues{y, TargetKind::regression}, 0);
  for (const Score& score : {accuracy(samples), ridge_loo_of_numbers(samples)}) {
    EXPECT_NEAR(score.value, 0.5, 0.05);
    EXPECT_EQ(score.per_sample.size(), 2000U);
  }
  EXPECT_NEAR(linear_valid_of_numbers(samples).value, 0.5, 0.05);
}

TEST(RealTargets, AreFiniteOnHostileData) {
  for (const Index n : {1, 2, 3, 12}) {
    for (const double scale : {1e-30, 1.0, 1e90}) {
      Matrix y = scale * test::gaussian(n, 2, 5);
      y.col(1).setConstant(3.0);
      Matrix x = test::gaussian(n, 4, 6);
      x.col(2).setZero();
      const Samples samples(test::pool(), x.transpose(), TargetValues{y, TargetKind::regression},
                            0);
      for (const Score& score : {accuracy(samples), ridge_loo_of_numbers(samples),
                                 knn_of_numbers(samples), linear_valid_of_numbers(samples)})
        EXPECT_TRUE(std::isfinite(score.value)) << n << " rows at " << scale;
    }
  }
}

}  // namespace
}  // namespace assay
