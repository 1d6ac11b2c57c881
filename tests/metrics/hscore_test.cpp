// Tests: metrics/class_projections, metrics/hscore_shrunk.
#include "metrics/hscore.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "metrics/class_forms.h"
#include "support.h"

namespace assay {
namespace {

struct Covariances {
  Matrix all;
  Matrix between;
};

Covariances covariances(const Matrix& features, const Targets& targets) {
  const auto n = static_cast<double>(features.rows());
  const Matrix centered = features.rowwise() - features.colwise().mean();
  Matrix means = Matrix::Zero(targets.columns(), features.cols());
  Vector counts = Vector::Zero(targets.columns());
  for (Index i = 0; i < features.rows(); ++i) {
    const Label label = targets.labels[static_cast<std::size_t>(i)];
    means.row(label) += centered.row(i);
    counts[label] += 1.0;
  }
  Covariances out{centered.transpose() * centered / n,
                  Matrix::Zero(features.cols(), features.cols())};
  for (Index c = 0; c < counts.size(); ++c)
    out.between += means.row(c).transpose() * means.row(c) / (counts[c] * n);
  return out;
}

// tr(cov(f)^+ cov(E[f | y])) with dense matrices.
double brute_force_hscore(const Matrix& features, const Targets& targets) {
  const Covariances c = covariances(features, targets);
  const Eigen::JacobiSVD<Matrix> svd(c.all, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector& s = svd.singularValues();
  double sum = 0.0;
  for (Index k = 0; k < s.size(); ++k) {
    if (s[k] > 1e-12 * s[0])
      sum += svd.matrixU().col(k).dot(c.between * svd.matrixU().col(k)) / s[k];
  }
  return sum;
}

// Ledoit & Wolf with every sample's own x x' written out: b^2 = 1/n^2 sum |x x' - S|^2.
double brute_force_shrunk(const Matrix& features, const Targets& targets) {
  const auto n = static_cast<double>(features.rows());
  const Index dim = features.cols();
  const Covariances c = covariances(features, targets);
  const Matrix centered = features.rowwise() - features.colwise().mean();
  const Matrix target = c.all.trace() / static_cast<double>(dim) * Matrix::Identity(dim, dim);
  double error = 0.0;
  for (Index i = 0; i < features.rows(); ++i)
    error += (centered.row(i).transpose() * centered.row(i) - c.all).squaredNorm() / (n * n);
  const double a = std::min(1.0, error / (c.all - target).squaredNorm());
  const Matrix shrunk = (1.0 - a) * c.all + a * target;
  return (1.0 - a) * shrunk.fullPivLu().solve(c.between).trace();
}

bool has_flag(const Score& score, const char* flag) {
  return std::find(score.flags.begin(), score.flags.end(), flag) != score.flags.end();
}

bool saturated(const Score& score) { return has_flag(score, "saturated"); }

TEST(HScore, EqualsTheDenseDefinition) {
  for (const double spread : {0.5, 3.0}) {
    const test::Sample s = test::blobs(4, 15, 7, spread);
    const Problem problem = test::primal_problem(s.features, s.targets);
    EXPECT_NEAR(hscore(problem).value, brute_force_hscore(s.features, s.targets), 1e-10);
    EXPECT_NEAR(hscore_shrunk(problem).value, brute_force_shrunk(s.features, s.targets), 1e-10);
  }
}

TEST(HScore, OfDependentFeaturesEqualsTheDenseDefinition) {
  test::Sample s = test::blobs(3, 15, 6, 2.0);
  s.features.col(5) = s.features.col(0) - s.features.col(1);
  s.features.col(4).setConstant(3.0);
  for (const bool center : {false, true}) {
    EXPECT_NEAR(hscore(test::primal_problem(s.features, s.targets, center)).value,
                brute_force_hscore(s.features, s.targets), 1e-10);
    EXPECT_NEAR(hscore(test::dual_problem(s.features, s.targets, center)).value,
                brute_force_hscore(s.features, s.targets), 1e-10);
  }
}

TEST(HScore, AgreesOnBothSides) {
  for (const Index dim : {5, 29, 30, 31, 80}) {  // n = 30
    const test::Sample s = test::blobs(3, 10, dim, 2.0);
    for (const bool center : {false, true}) {
      const Problem primal = test::primal_problem(s.features, s.targets, center);
      const Problem dual = test::dual_problem(s.features, s.targets, center);
      EXPECT_NEAR(hscore(primal).value, hscore(dual).value, 1e-9) << dim;
      EXPECT_NEAR(hscore_shrunk(primal).value, hscore_shrunk(dual).value, 1e-10) << dim;
      EXPECT_EQ(saturated(hscore(primal)), saturated(hscore(dual))) << dim;
    }
  }
}

TEST(HScore, OfFewSamplesEqualsTheDenseDefinitionWhenShrunk) {
  const test::Sample s = test::blobs(3, 6, 40, 1.0);
  EXPECT_NEAR(hscore_shrunk(test::dual_problem(s.features, s.targets)).value,
              brute_force_shrunk(s.features, s.targets), 1e-10);
}

TEST(HScore, IgnoresInvertibleMapsAndShifts) {
  const test::Sample s = test::blobs(4, 20, 6, 2.0);
  const double plain = hscore(test::primal_problem(s.features, s.targets)).value;
  Matrix mapped = s.features * (test::gaussian(6, 6, 9) + 3.0 * Matrix::Identity(6, 6));
  mapped.rowwise() += Eigen::RowVectorXd::LinSpaced(6, -2.0, 5.0);
  EXPECT_NEAR(hscore(test::primal_problem(mapped, s.targets)).value, plain, 1e-9 * plain);
  for (const double scale : {1e30, 1e-30}) {
    EXPECT_NEAR(hscore(test::primal_problem(scale * s.features, s.targets)).value, plain,
                1e-9 * plain);
  }
}

// Scales from 1e-9 to 1e9: features are brought to unit deviation, so not a digit is lost.
TEST(HScore, IgnoresTheScaleOfEveryFeature) {
  const test::Sample s = test::blobs(4, 20, 7, 2.0);
  const double plain = hscore(test::primal_problem(s.features, s.targets)).value;
  Matrix scaled = s.features;
  for (Index j = 0; j < 7; ++j) scaled.col(j) *= std::pow(10.0, 3.0 * static_cast<double>(j) - 9.0);
  for (const bool center : {false, true}) {
    const Score score = hscore(test::primal_problem(scaled, s.targets, center));
    EXPECT_NEAR(score.value, plain, 1e-12);
    EXPECT_LT(score.error, 1e-10);
  }
}

// The features are then sums of others but for noise of this size. What second moments can tell of
// it falls as its square: an error of about eps sqrt(n) / noise^2, which the score states.
TEST(HScore, OfNearlyDependentFeaturesErrsByWhatItStates) {
  for (const double noise : {1e-2, 1e-4, 1e-5}) {
    test::Sample s = test::blobs(3, 40, 5, 2.0);
    Matrix wide(120, 8);
    wide.leftCols(5) = s.features;
    wide.rightCols(3) = s.features.leftCols(3) + noise * test::gaussian(120, 3, 5);
    Matrix apart = wide;  // the same span
    apart.rightCols(3) = (wide.rightCols(3) - wide.leftCols(3)) / noise;
    const double truth = brute_force_hscore(apart, s.targets);
    const Score score = hscore(test::primal_problem(wide, s.targets));
    // Taking the difference costs `apart` itself eps / noise of its digits.
    EXPECT_LT(std::abs(score.value - truth), 10.0 * score.error + 1e-15 / noise) << noise;
    EXPECT_LT(score.error, 1e-13 / (noise * noise)) << noise;
    EXPECT_EQ(has_flag(score, "ill_scaled"), score.error > 1e-6) << noise;
  }
}

TEST(HScore, SaysWhenOneFeatureDwarfsTheOthers) {
  test::Sample s = test::blobs(3, 40, 12, 2.0);
  EXPECT_FALSE(has_flag(hscore(test::primal_problem(s.features, s.targets)), "ill_scaled"));
  s.features.col(3) *= 1e7;
  for (const bool center : {false, true}) {
    EXPECT_TRUE(
        has_flag(hscore(test::primal_problem(s.features, s.targets, center)), "ill_scaled"));
    EXPECT_TRUE(
        has_flag(hscore_shrunk(test::primal_problem(s.features, s.targets, center)), "ill_scaled"));
  }
  test::Sample few = test::blobs(3, 6, 40, 2.0);
  EXPECT_FALSE(has_flag(hscore(test::dual_problem(few.features, few.targets)), "ill_scaled"));
  Matrix far = few.features.array() + 1e8;  // a mean as large, on the side of the samples
  EXPECT_TRUE(has_flag(hscore(test::dual_problem(far, few.targets)), "ill_scaled"));
  few.features.col(3) *= 1e7;
  EXPECT_TRUE(has_flag(hscore(test::dual_problem(few.features, few.targets)), "ill_scaled"));
}

TEST(HScore, IgnoresShiftsOfAnySize) {
  const test::Sample s = test::blobs(4, 50, 20, 2.0);
  const double plain = hscore(test::primal_problem(s.features, s.targets)).value;
  for (const double shift : {1e4, 1e6, 1e8}) {
    Matrix far = s.features.array() + shift;
    EXPECT_NEAR(hscore(test::primal_problem(far, s.targets)).value, plain, 1e-7 * plain) << shift;
    far.col(3).setConstant(shift / 3.0);  // and one that is nothing but its mean
    Matrix without = s.features;
    without.col(3).setZero();
    EXPECT_NEAR(hscore(test::primal_problem(far, s.targets)).value,
                hscore(test::primal_problem(without, s.targets)).value, 1e-7 * plain)
        << shift;
  }
}

TEST(HScore, ShrunkIgnoresRotationsShiftsAndACommonScale) {
  const test::Sample s = test::blobs(4, 20, 6, 2.0);
  const double plain = hscore_shrunk(test::primal_problem(s.features, s.targets)).value;
  const Matrix rotation =
      Eigen::JacobiSVD<Matrix>(test::gaussian(6, 6, 9), Eigen::ComputeFullU).matrixU();
  Matrix mapped = 1e20 * s.features * rotation;
  mapped.array() += 2e20;
  EXPECT_NEAR(hscore_shrunk(test::primal_problem(mapped, s.targets)).value, plain, 1e-9 * plain);
}

// A mean far from zero leaves the second moments about zero few digits of what varies.
TEST(HScore, ShrunkIgnoresLargeShiftsOnBothSides) {
  const test::Sample tall = test::blobs(4, 50, 20, 2.0);
  const test::Sample wide = test::blobs(3, 6, 40, 1.0);
  const double many = brute_force_shrunk(tall.features, tall.targets);
  const double few = brute_force_shrunk(wide.features, wide.targets);
  for (const double shift : {100.0, 1e4}) {
    const Matrix far = tall.features.array() + shift;
    EXPECT_NEAR(hscore_shrunk(test::primal_problem(far, tall.targets)).value, many, 1e-7 * many);
    const Matrix farther = wide.features.array() + shift;
    EXPECT_NEAR(hscore_shrunk(test::dual_problem(farther, wide.targets)).value, few, 1e-6 * few);
  }
}

// Every sample at its class's own point: cov = between, H = C - 1.
TEST(HScore, IsClassesMinusOneWhenClassesCollapse) {
  const test::Sample s = test::blobs(4, 10, 6, 0.0);
  const Score score = hscore(test::primal_problem(s.features, s.targets));
  EXPECT_NEAR(score.value, 3.0, 1e-9);
  EXPECT_FALSE(saturated(score));  // rank 4 of 40: the features earned it
}

// Two classes at the same two points each: means are equal.
TEST(HScore, IsZeroWhenClassMeansAgree) {
  const Matrix features{{1.0, 2.0},   {-1.0, -2.0}, {1.0, 2.0},
                        {-1.0, -2.0}, {3.0, 0.0},   {-3.0, 0.0}};
  const Targets targets = test::class_targets({0, 0, 1, 1, 2, 2});
  EXPECT_NEAR(hscore(test::primal_problem(features, targets)).value, 0.0, 1e-12);
  EXPECT_NEAR(hscore_shrunk(test::primal_problem(features, targets)).value, 0.0, 1e-12);
}

// One feature x = 0, 0, 2, 4 with classes a a b b: total variance 11/4, between 9/4 by hand.
TEST(HScore, OfOneFeatureIsTheShareOfVarianceBetweenClasses) {
  const Matrix features{{0.0}, {0.0}, {2.0}, {4.0}};
  const Targets targets = test::class_targets({0, 0, 1, 1});
  EXPECT_NEAR(hscore(test::primal_problem(features, targets)).value, 9.0 / 11.0, 1e-12);
}

TEST(HScore, SaysWhenFeaturesFitEveryLabelling) {
  for (const Index dim : {30, 31, 60}) {  // n = 30
    const test::Sample s = test::blobs(3, 10, dim, 2.0);
    const Score score = hscore(test::dual_problem(s.features, s.targets));
    EXPECT_TRUE(saturated(score)) << dim;
    EXPECT_NEAR(score.value, 2.0, 1e-6) << dim;
  }
  const test::Sample s = test::blobs(3, 10, 29, 2.0);  // rank n - 1 after centring
  EXPECT_TRUE(saturated(hscore(test::primal_problem(s.features, s.targets))));
  const test::Sample tall = test::blobs(3, 10, 28, 2.0);
  EXPECT_FALSE(saturated(hscore(test::primal_problem(tall.features, tall.targets))));
}

// 11 significant bits, as float16 stores them.
TEST(HScore, OfRoundedFeaturesIsThatOfTheRoundedNumbers) {
  const test::Sample s = test::blobs(4, 25, 10, 2.0);
  const Matrix rounded = s.features.unaryExpr([](double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
  });
  const double value = hscore(test::primal_problem(rounded, s.targets)).value;
  EXPECT_NEAR(value, brute_force_hscore(rounded, s.targets), 1e-10);
  EXPECT_NEAR(value, brute_force_hscore(s.features, s.targets), 1e-2);
}

// 1_c'Fc (Fc'Fc + t)^-1 Fc'1_c with dense matrices, in the units of the problem.
TEST(ClassForms, EqualTheDenseDefinition) {
  for (const Index dim : {4, 50}) {
    const test::Sample s = test::blobs(3, 8, dim, 1.0);
    for (const bool dual : {false, true}) {
      for (const bool center : {false, true}) {
        const Problem problem = dual ? test::dual_problem(s.features, s.targets, center)
                                     : test::primal_problem(s.features, s.targets, center);
        const Matrix fc =
            (s.features.rowwise() - s.features.colwise().mean()) / problem.reduced().unit;
        const Reduced& reduced = problem.reduced();
        const double square = (fc.transpose() * fc).squaredNorm();
        EXPECT_NEAR(reduced.centered_trace, fc.squaredNorm(), 1e-12 * fc.squaredNorm());
        EXPECT_NEAR(reduced.centered_square, square, 1e-12 * square);
        const Matrix inverse = (fc.transpose() * fc + 0.1 * Matrix::Identity(dim, dim)).inverse();
        const Vector forms = class_forms(problem, 0.1);
        for (Index c = 0; c < 3; ++c) {
          Vector sum = Vector::Zero(dim);
          for (Index i = c; i < 24; i += 3) sum += fc.row(i).transpose();
          EXPECT_NEAR(forms[c], sum.dot(inverse * sum), 1e-10);
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
