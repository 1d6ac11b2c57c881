// Tests: metrics/evidence, metrics/float_error, metrics/problem, metrics/logme_regression.
#include "metrics/logme.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/moments_pass.h"
#include "data/subset.h"
#include "io/npy.h"
#include "metrics/make_problem.h"
#include "support.h"

namespace assay {
namespace {

using test::blobs;
using test::dual_problem;
using test::gaussian;
using test::primal_problem;

double value_of(const Matrix& features, const Targets& targets) {
  return logme(make_problem(test::pool(), *rows_of_matrix(features, "f"), targets, false,
                            Index{1} << 32))
      .value;
}

Matrix one_hot(const Targets& targets) {
  std::vector<Index> all(targets.labels.size());
  std::iota(all.begin(), all.end(), 0);
  return target_matrix(targets, all);
}

bool logme_has_flag(const Score& score, const std::string& flag) {
  return std::find(score.flags.begin(), score.flags.end(), flag) != score.flags.end();
}

TEST(Logme, EqualsDenseMaximisationOfEquation2) {
  const test::Sample tall = blobs(3, 12, 5, 1.0);
  EXPECT_NEAR(value_of(tall.features, tall.targets),
              test::brute_force_logme(tall.features, one_hot(tall.targets)), 1e-9);
  const test::Sample wide = blobs(2, 6, 20, 1.5);
  EXPECT_NEAR(value_of(wide.features, wide.targets),
              test::brute_force_logme(wide.features, one_hot(wide.targets)), 1e-8);
}

// The evidence by singular values in 64-bit mantissas: DESIGN's one scalar problem in t, maximised
// on a grid and by thirds.
double long_logme(const Matrix& features, const Matrix& targets) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Wide wide = features.cast<long double>();
  const Eigen::JacobiSVD<Wide> svd(wide, Eigen::ComputeThinU);
  const auto n = static_cast<long double>(features.rows());
  long double sum = 0.0L;
  for (Index c = 0; c < targets.cols(); ++c) {
    const Wide y = targets.col(c).cast<long double>();
    const Wide z = svd.matrixU().transpose() * y;
    const auto value = [&](long double log_t) {
      const long double t = std::exp(log_t);
      long double q = y.squaredNorm() - z.squaredNorm();
      long double logs = 0.0L;
      for (Index i = 0; i < z.rows(); ++i) {
        const long double s = svd.singularValues()[i] * svd.singularValues()[i];
        q += z(i, 0) * z(i, 0) * t / (t + s);
        logs += std::log1p(s / t);
      }
      return -0.5L * std::log(2.0L * std::acos(-1.0L) * q / n) - 0.5L - 0.5L * logs / n;
    };
    long double best = -20.0L;
    for (long double log_t = -20.0L; log_t <= 60.0L; log_t += 0.25L)
      if (value(log_t) > value(best)) best = log_t;
    long double low = best - 0.3L;
    long double high = best + 0.3L;
    for (int k = 0; k < 100; ++k) {
      const long double third = (high - low) / 3.0L;
      (value(low + third) < value(high - third) ? low : high) +=
          (value(low + third) < value(high - third) ? third : -third);
    }
    sum += value(0.5L * (low + high));
  }
  return static_cast<double>(sum / static_cast<long double>(targets.cols()));
}

TEST(Logme, KeepsItsDigitsFarFromZero) {
  const test::Sample s = blobs(3, 30, 6, 2.0);
  for (const double shift : {0.0, 1e3, 1e5, 1e7, 1e8}) {
    const Matrix far = s.features.array() + shift;
    const Score score = logme(primal_problem(far, s.targets));
    EXPECT_NEAR(score.value, long_logme(far, one_hot(s.targets)), 1e-9) << shift;
    EXPECT_TRUE(score.flags.empty()) << shift;
    Matrix constant(s.features.rows(), 7);
    constant << s.features, Vector::Constant(s.features.rows(), shift / 3.0);
    EXPECT_NEAR(logme(primal_problem(constant, s.targets)).value,
                long_logme(constant, one_hot(s.targets)), 1e-9)
        << shift;
  }
}

// 0.1 has no exact sum: what is left about its mean is rounding, and no direction of the features.
TEST(Logme, OfConstantFeaturesHasOneDirection) {
  const test::Sample s = blobs(3, 30, 4, 1.0);
  for (const double value : {0.1, -1e7 / 3.0}) {
    const Matrix same = Matrix::Constant(90, 4, value);
    EXPECT_EQ(primal_problem(same, s.targets).reduced().rank, 1) << value;
  }
}

TEST(Logme, IsTheSameFromMomentsAndFromTheKernel) {
  for (const Index dim : {3, 20, 60}) {
    const test::Sample s = blobs(3, 20, dim, 1.0, 5 + static_cast<std::uint64_t>(dim));
    EXPECT_NEAR(logme(dual_problem(s.features, s.targets)).value,
                logme(make_problem(test::pool(), *rows_of_matrix(s.features, "f"), s.targets, false,
                                   1 << 30))
                    .value,
                1e-11);
    EXPECT_NEAR(logme(dual_problem(s.features, s.targets, true)).value,
                logme(primal_problem(s.features, s.targets, true)).value, 1e-9);
  }
}

TEST(Logme, IgnoresRepeatedFeatures) {  // Corollary 3
  const test::Sample s = blobs(4, 30, 9, 1.0);
  const double value = value_of(s.features, s.targets);
  EXPECT_NEAR(value_of(s.features.replicate(1, 3), s.targets), value, 1e-9);
  EXPECT_NEAR(value_of(s.features.replicate(1, 20), s.targets), value, 1e-9);  // n < D now
}

TEST(Logme, IgnoresPaddingWithZeros) {  // Corollary 4
  const test::Sample s = blobs(4, 30, 9, 1.0);
  Matrix padded = Matrix::Zero(s.features.rows(), 200);
  padded.leftCols(9) = s.features;
  EXPECT_NEAR(value_of(padded, s.targets), value_of(s.features, s.targets), 1e-9);
}

TEST(Logme, IgnoresTheScaleOfTheFeatures) {
  const test::Sample s = blobs(3, 30, 8, 1.0);
  const double value = value_of(s.features, s.targets);
  for (const double scale : {1e-3, 1e3, 1e6, 1e-20, 1e20, 1e-180, 1e180, 1e300}) {
    EXPECT_NEAR(value_of(scale * s.features, s.targets), value, 1e-9) << scale;
  }
  const test::Sample wide = blobs(3, 5, 30, 1.0);
  EXPECT_NEAR(value_of(1e200 * wide.features, wide.targets), value_of(wide.features, wide.targets),
              1e-9);
}

TEST(Logme, IgnoresRotationsAndTheOrderOfSamples) {
  const test::Sample s = blobs(3, 30, 8, 1.0);
  const Matrix square = gaussian(8, 8, 9);
  const Matrix q = square * (square.transpose() * square)
                                .llt()
                                .matrixL()
                                .transpose()
                                .solve(Matrix::Identity(8, 8))
                                .eval();
  EXPECT_NEAR(value_of(s.features * q, s.targets), value_of(s.features, s.targets), 1e-9);
  Targets reversed = s.targets;
  std::reverse(reversed.labels.begin(), reversed.labels.end());
  EXPECT_NEAR(value_of(s.features.colwise().reverse(), reversed), value_of(s.features, s.targets),
              1e-11);
}

// What the public script gets wrong: pure noise must not look better with more dimensions.
TEST(Logme, DoesNotGrowWithTheDimensionOfNoise) {
  std::vector<Label> labels;
  for (Label i = 0; i < 200; ++i) labels.push_back(i % 2);
  const Targets targets = test::class_targets(labels);
  const double none = -0.5 * std::log(2.0 * M_PI * 0.5) - 0.5;  // no features: q = n / 2
  for (const Index dim : {64, 512, 2048, 8192}) {
    const double value = value_of(gaussian(200, dim, static_cast<std::uint64_t>(dim)), targets);
    EXPECT_GE(value, none - 1e-12) << dim;
    EXPECT_LT(value, none + 0.03) << dim;
  }
}

TEST(Logme, SaysWhenTheFeaturesAreUninformative) {
  const Targets targets = test::class_targets({0, 1, 0, 1, 0, 1});
  const Score score = logme(primal_problem(Matrix::Zero(6, 2), targets));
  EXPECT_TRUE(logme_has_flag(score, "uninformative"));
  EXPECT_NEAR(score.value, -0.5 * std::log(2.0 * M_PI * 0.5) - 0.5, 1e-15);
}

TEST(Logme, SaysWhenTargetsAreExactlyLinear) {
  const Matrix features = gaussian(50, 5, 3);
  const Score score =
      logme(primal_problem(features, test::value_targets(features * gaussian(5, 2, 4))));
  EXPECT_TRUE(logme_has_flag(score, "exact_fit"));
  EXPECT_TRUE(std::isfinite(score.value));
  EXPECT_GT(score.value, 5.0);
}

TEST(Logme, SaysWhenFeaturesInterpolate) {
  // Orthogonal samples of length 10 with the targets on the strongest directions: the
  // evidence rises all the way to t = 0.
  const Matrix features = 10.0 * Matrix::Identity(6, 6);
  const Matrix targets = gaussian(6, 1, 8);
  const Score score = logme(dual_problem(features, test::value_targets(targets)));
  // K = 100 I: L(t) = -1/2 log(2 pi (y'y / (100 + t)) t / n) - 1/2 - 1/2 log(1 + 100/t) is constant
  // in t.
  EXPECT_NEAR(score.value, -0.5 * std::log(2.0 * M_PI * targets.squaredNorm() / 6.0) - 0.5, 1e-9);
  Matrix unequal = Matrix::Identity(6, 6);
  unequal(0, 0) = 30.0;
  Matrix aligned = Matrix::Constant(6, 1, 1.0);
  aligned(0, 0) = 90.0;
  const Score interpolating = logme(dual_problem(unequal, test::value_targets(aligned)));
  EXPECT_TRUE(logme_has_flag(interpolating, "interpolates"));
  // Limit at t = 0: phi = y'K^-1 y = 14 and log|K| = log 900.
  EXPECT_NEAR(interpolating.value,
              -0.5 * std::log(2.0 * M_PI * 14.0 / 6.0) - 0.5 - std::log(900.0) / 12.0, 1e-9);
}

// Without counting the intercept, centred features with n <= D would fit noise ever better.
TEST(Logme, CentredNoiseGainsNothingHoweverWide) {
  std::vector<Label> labels;
  for (Label i = 0; i < 120; ++i) labels.push_back(i % 2);
  const Targets targets = test::class_targets(labels);
  for (const Index dim : {60, 400, 2000}) {
    const Score score = logme(dual_problem(gaussian(120, dim, 7), targets, true));
    EXPECT_LT(score.details.front().second, 0.03) << dim;
  }
}

TEST(Logme, SkipsConstantColumnsAndSaysSo) {
  Matrix targets = gaussian(40, 3, 2);
  targets.col(1).setConstant(7.0);
  const Matrix features = gaussian(40, 4, 1);
  const Score score = logme(primal_problem(features, test::value_targets(targets)));
  Matrix varying(40, 2);
  varying << targets.col(0), targets.col(2);
  EXPECT_TRUE(logme_has_flag(score, "skipped_columns"));
  EXPECT_NEAR(score.value, logme(primal_problem(features, test::value_targets(varying))).value,
              1e-12);
}

TEST(Logme, CountsMultiLabelColumnsOneByOne) {
  const Matrix features = gaussian(60, 6, 1);
  Matrix labels = Matrix::Zero(60, 3);
  for (Index i = 0; i < 60; ++i) {
    labels(i, 0) = features(i, 0) > 0.0 ? 1.0 : 0.0;
    labels(i, 1) = features(i, 1) + features(i, 2) > 0.3 ? 1.0 : 0.0;
    labels(i, 2) = i % 2 == 0 ? 1.0 : 0.0;
  }
  double mean = 0.0;
  for (Index c = 0; c < 3; ++c) {
    mean += logme(primal_problem(features, test::value_targets(labels.col(c)))).value / 3.0;
  }
  EXPECT_NEAR(logme(primal_problem(features, test::value_targets(labels))).value, mean, 1e-12);
}

TEST(Logme, GainIsTheScoreMinusThatOfNoFeatures) {
  const test::Sample s = blobs(3, 30, 8, 1.0);
  const Score score = logme(primal_problem(s.features, s.targets));
  const double none = -0.5 * std::log(2.0 * M_PI / 3.0) - 0.5;
  ASSERT_EQ(score.details.front().first, "gain");
  EXPECT_NEAR(score.details.front().second, score.value - none, 1e-12);
}

TEST(Logme, SaysWhenSquaresLoseMostFeatures) {
  const auto flagged = [](const Problem& problem) {
    const Score score = logme(problem);
    return std::find(score.flags.begin(), score.flags.end(), "ill_scaled") != score.flags.end();
  };
  test::Sample tall = test::blobs(3, 40, 12, 2.0);
  test::Sample wide = test::blobs(3, 6, 40, 2.0);
  EXPECT_FALSE(flagged(primal_problem(tall.features, tall.targets)));
  EXPECT_FALSE(flagged(dual_problem(wide.features, wide.targets)));
  // A mean is put apart where samples are many; the kernel of few has it in every entry.
  EXPECT_FALSE(flagged(primal_problem(tall.features.array() + 1e8, tall.targets)));
  EXPECT_TRUE(flagged(dual_problem(wide.features.array() + 1e8, wide.targets)));
  tall.features.col(3) *= 1e7;
  wide.features.col(3) *= 1e7;
  EXPECT_TRUE(flagged(primal_problem(tall.features, tall.targets)));
  EXPECT_TRUE(flagged(dual_problem(wide.features, wide.targets)));
}

TEST(Logme, FindsTheHigherOfTwoMaxima) {
  // A strong direction that explains part of y and weak ones that explain the rest: the
  // profile has two maxima, and Eq. 4 started at t = 1 can end at either.
  Index two_peaks = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Matrix features = gaussian(14, 6, seed);
    features.col(0) *= 1e3;
    const Matrix y = 1e-3 * features.col(0) + gaussian(14, 1, 900 + seed);
    const double value = logme(primal_problem(features, test::value_targets(y))).value;
    double best = -1e300;
    Index peaks = 0;
    double before = -1e300;
    double now = -1e300;
    for (double log_t = -12.0; log_t < 24.0; log_t += 0.1) {
      const double t = std::exp(log_t);
      const Matrix a = features.transpose() * features + t * Matrix::Identity(6, 6);
      const double q =
          y.squaredNorm() -
          (features.transpose() * y).col(0).dot(a.llt().solve(features.transpose() * y).col(0));
      const double beta = 14.0 / q;
      const double next = test::brute_force_evidence(features, y.col(0), t * beta, beta) / 14.0;
      peaks += now > before && now > next ? 1 : 0;
      best = std::max(best, next);
      before = now;
      now = next;
    }
    two_peaks += peaks > 1 ? 1 : 0;
    EXPECT_GE(value, best - 1e-9) << seed;
  }
  EXPECT_GT(two_peaks, 0) << "the cases were meant to have two maxima";
}

TEST(Logme, FloatProductsAgreeWithDoubleToOneInAMillion) {
  const test::Sample s = blobs(10, 300, 96, 4.0);
  for (const double offset : {0.0, 1000.0}) {
    const Matrix shifted = s.features.array() + offset;
    test::TemporaryDirectory folder;
    std::vector<float> values;
    for (Index i = 0; i < shifted.rows(); ++i) {
      for (Index j = 0; j < shifted.cols(); ++j)
        values.push_back(static_cast<float>(shifted(i, j)));
    }
    write_npy(folder / "f.npy", values, shifted.cols());
    const Rows rows = rows_of_array(open_npy(folder / "f.npy"), {});
    const std::vector<Index> buckets(3000, 0);
    const auto score = [&](Precision precision) {
      MomentsPass pass =
          accumulate_moments(test::pool(), *rows, s.targets, buckets, 1, {precision});
      return logme(Problem(std::move(pass.buckets.front()), false));
    };
    const Score in_float = score(Precision::float_products);
    const Score in_double = score(Precision::double_products);
    EXPECT_NEAR(in_float.value, in_double.value, 1e-6) << offset;
    EXPECT_GT(in_float.error, 0.0);
    EXPECT_EQ(in_double.error, 0.0);
    EXPECT_LT(std::abs(in_float.value - in_double.value), in_float.error)
        << "the estimate must not flatter";
  }
}

// Near copies of columns are where float sums err most and where the inverse is largest.
TEST(Logme, TheFloatErrorEstimateHoldsForNearCopiesOfColumns) {
  for (const double difference : {1e-1, 1e-2, 1e-3}) {
    const test::Sample s = blobs(10, 300, 48, 4.0);
    Eigen::MatrixXf both(96, 3000);  // samples as columns
    both.topRows(48) = s.features.transpose().cast<float>();
    both.bottomRows(48) =
        (s.features + difference * gaussian(3000, 48, 9)).transpose().cast<float>();
    test::TemporaryDirectory folder;
    write_npy(folder / "f.npy", {both.data(), static_cast<std::size_t>(both.size())}, 96);
    const Rows rows = rows_of_array(open_npy(folder / "f.npy"), {});
    const std::vector<Index> buckets(3000, 0);
    const auto score = [&](Precision precision) {
      MomentsPass pass =
          accumulate_moments(test::pool(), *rows, s.targets, buckets, 1, {precision});
      return logme(Problem(std::move(pass.buckets.front()), false));
    };
    const Score in_float = score(Precision::float_products);
    const double off = std::abs(in_float.value - score(Precision::double_products).value);
    EXPECT_LT(off, in_float.error) << difference;
  }
}

void expect_predictive(const Matrix& features, const Matrix& targets, const Problem& problem) {
  const Rows rows = rows_of_matrix(features, "f");
  const LogmeFit fit = fit_logme(problem, *rows);
  const Matrix fresh = gaussian(features.cols(), 7, 77);
  const Prediction prediction = predict(fit, fresh);
  for (Index c = 0; c < targets.cols(); ++c) {
    const EvidenceColumn& column = fit.columns[static_cast<std::size_t>(c)];
    ASSERT_EQ(column.kind, EvidenceCase::interior);
    const Matrix a = column.alpha * Matrix::Identity(features.cols(), features.cols()) +
                     column.beta * features.transpose() * features;
    const Vector m = column.beta * a.llt().solve(features.transpose() * targets.col(c));
    for (Index k = 0; k < fresh.cols(); ++k) {
      EXPECT_NEAR(prediction.mean(k, c), fresh.col(k).dot(m), 1e-9);
      const double variance = fresh.col(k).dot(a.llt().solve(fresh.col(k))) + 1.0 / column.beta;
      EXPECT_NEAR(prediction.variance(k, c), variance, 1e-9 * variance);
    }
  }
}

TEST(LogmePredict, IsTheGaussianOfThePaper) {  // N(f'm, f'A^-1 f + 1/beta)
  const Matrix tall = gaussian(40, 6, 1);
  const Matrix targets = tall * gaussian(6, 2, 2) + gaussian(40, 2, 3);
  expect_predictive(tall, targets, primal_problem(tall, test::value_targets(targets)));
  // A few strong directions and noise: the optimum lies inside, not at t = 0.
  Matrix wide = gaussian(20, 30, 4);
  for (Index j = 0; j < 30; ++j) wide.col(j) *= 3.0 / static_cast<double>(1 + j * j);
  const Matrix few = wide.leftCols(2) + 0.7 * gaussian(20, 2, 5);
  expect_predictive(wide, few, dual_problem(wide, test::value_targets(few)));
}

TEST(LogmePredict, IgnoresTheScaleOfTheFeatures) {  // whose squares may be no doubles
  for (const bool dual : {false, true}) {
    const Matrix features = dual ? gaussian(20, 30, 4) : gaussian(40, 6, 1);
    const Matrix targets = features.leftCols(2) + 0.7 * gaussian(features.rows(), 2, 5);
    const Matrix fresh = gaussian(features.cols(), 7, 77);
    const auto predicted = [&](double scale) {
      const Matrix scaled = scale * features;
      const Targets of_values = test::value_targets(targets);
      const Rows rows = rows_of_matrix(scaled, "f");
      return predict(
          fit_logme(dual ? dual_problem(scaled, of_values) : primal_problem(scaled, of_values),
                    *rows),
          scale * fresh);
    };
    const Prediction plain = predicted(1.0);
    for (const double scale : {1e-250, 1e-180, 1e180, 1e300}) {
      const Prediction prediction = predicted(scale);
      EXPECT_LT((prediction.mean - plain.mean).norm(), 1e-8 * plain.mean.norm()) << scale;
      EXPECT_LT((prediction.variance - plain.variance).norm(), 1e-8 * plain.variance.norm())
          << scale;
    }
  }
}

}  // namespace
}  // namespace assay
