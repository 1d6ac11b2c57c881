// Tests: robust/gaussian_pair, robust/shift_in_eigenbasis, robust/shift_in_features.
#include "robust/bayes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden.h"
#include "robust/operating_point.h"

namespace assay {
namespace {

using nlohmann::json;

Vector vector_of(const json& values) {
  Vector out(static_cast<Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    out[static_cast<Index>(i)] = values[i].get<double>();
  return out;
}

GaussianPair fit(const std::string& samples, const std::string& labels) {
  return fit_gaussian_pair(test::pool(), test::golden_columns(samples),
                           test::golden_labels(labels));
}

// Eigenvectors have no sign of their own; z_i and mu_i change theirs together.
void expect_same_up_to_signs(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LT((a.cwiseAbs() - b.cwiseAbs()).lpNorm<Eigen::Infinity>(), tolerance);
}

TEST(GaussianPair, HasTheGoldenSpectrumAndRank) {
  const json golden = test::synbench_golden().at("given");
  const GaussianPair full = fit("rep_train", "lab_train");
  const GaussianPair deficient = fit("rd_rep_train", "rd_lab_train");
  EXPECT_EQ(full.rank(), 12);
  EXPECT_EQ(deficient.rank(), 7);
  EXPECT_LT((full.variances - vector_of(golden["rep"]["eigenvalues"])).norm(), 1e-10);
  EXPECT_LT((deficient.variances - vector_of(golden["rd_rep"]["eigenvalues"])).norm(), 1e-10);
}

TEST(GaussianPair, DropsTheSameDirectionsAtEveryScale) {
  const Matrix samples = test::golden_columns("rd_rep_train");
  const auto labels = test::golden_labels("rd_lab_train");
  for (const double unit : {1e-60, 1e-6, 1e6, 1e60})
    EXPECT_EQ(fit_gaussian_pair(test::pool(), unit * samples, labels).rank(), 7) << unit;
}

TEST(GaussianPair, IsTheSameFromTheKernelWhenSamplesAreFew) {
  // 30 samples in 12 dimensions, then the same with 40 dimensions of zeros: n < D takes the kernel.
  const Matrix samples = test::golden_columns("rep_train").leftCols(30);
  auto labels = test::golden_labels("lab_train");
  labels.resize(30);
  Matrix padded = Matrix::Zero(52, 30);
  padded.topRows(12) = samples;
  const GaussianPair a = fit_gaussian_pair(test::pool(), samples, labels);
  const GaussianPair b = fit_gaussian_pair(test::pool(), padded, labels);
  ASSERT_EQ(b.rank(), 12);
  EXPECT_LT((a.variances - b.variances).norm(), 1e-12);
  expect_same_up_to_signs(a.half_gap, b.half_gap, 1e-12);
  EXPECT_LT((b.basis.transpose() * b.basis - Matrix::Identity(12, 12)).norm(), 1e-11);
}

// The defining equations, with the covariance of 100 dimensions written out.
TEST(GaussianPair, SolvesTheEigenproblemWithFewerSamplesThanDimensions) {
  Matrix samples = test::gaussian(100, 21, 4);
  std::vector<Label> labels(21);
  for (std::size_t i = 0; i < 21; ++i) labels[i] = static_cast<Label>(i % 2);
  const GaussianPair pair = fit_gaussian_pair(test::pool(), samples, labels);
  ASSERT_EQ(pair.rank(), 19);  // n - 2
  Vector zero = Vector::Zero(100);
  Vector one = Vector::Zero(100);
  for (Index i = 0; i < 21; ++i)
    (i % 2 == 1 ? one : zero) += samples.col(i) / (i % 2 == 1 ? 10 : 11);
  for (Index i = 0; i < 21; ++i) samples.col(i) -= i % 2 == 1 ? one : zero;
  const Matrix covariance = samples * samples.transpose() / 19.0;
  const Matrix identity = Matrix::Identity(19, 19);
  EXPECT_LT((pair.basis.transpose() * pair.basis - identity).norm(), 1e-12);
  EXPECT_LT((covariance * pair.basis - pair.basis * pair.variances.asDiagonal()).norm(), 1e-11);
  EXPECT_LT((pair.half_gap - pair.basis.transpose() * (one - zero) / 2.0).norm(), 1e-12);
  EXPECT_LT((pair.midpoint - (one + zero) / 2.0).norm(), 1e-13);
}

TEST(RobustBayes, HasTheGoldenShiftAndExpectations) {
  const json golden = test::synbench_golden().at("given");
  for (const auto& [name, train, labels] :
       {std::tuple{"rep", "rep_train", "lab_train"}, {"rd_rep", "rd_rep_train", "rd_lab_train"}}) {
    const GaussianPair pair = fit(train, labels);
    for (const auto& [epsilon, value] : golden[name]["relative"].items()) {
      const auto bayes = robust_bayes(pair, {.epsilon = std::stod(epsilon)});
      ASSERT_TRUE(bayes.has_value());
      EXPECT_NEAR(bayes->epsilon, value["eps"].get<double>(), 1e-12);
      const double tau = value["tau"].get<double>();
      EXPECT_NEAR(bayes->tau, tau, 1e-10 * (1.0 + tau));
      expect_same_up_to_signs(bayes->shift, vector_of(value["z"]), 1e-10);
      const OperatingPoint expected = expected_point(pair, *bayes, 0.5);
      EXPECT_NEAR(expected.accuracy, value["acc_analytic"].get<double>(), 1e-11);
      EXPECT_NEAR(expected.bound, value["bound_analytic"].get<double>(), 1e-11);
    }
  }
}

TEST(RobustBayes, TakesAnAbsoluteEpsilonAndRefusesOneBeyondTheGap) {
  const json golden = test::synbench_golden().at("given").at("rep").at("absolute");
  const GaussianPair pair = fit("rep_train", "lab_train");
  for (const auto& [epsilon, value] : golden.items()) {
    const auto bayes = robust_bayes(pair, {.epsilon = std::stod(epsilon), .relative = false});
    EXPECT_EQ(bayes.has_value(), !value["tau"].is_null()) << epsilon;  // 0.8 > |mu~| = 0.6045
    if (!bayes) continue;
    EXPECT_NEAR(bayes->tau, value["tau"].get<double>(), 1e-9 * (1.0 + bayes->tau));
    EXPECT_NEAR(expected_point(pair, *bayes, 0.5).accuracy, value["acc_analytic"].get<double>(),
                1e-11);
  }
}

TEST(RobustBayes, HasTheGoldenAccuraciesInTheInfinityNorm) {
  const json golden = test::synbench_golden().at("linf");
  const GaussianPair pair = fit("rep_train", "lab_train");
  for (const auto& [epsilon, value] : golden.items()) {
    Budget budget{.epsilon = std::stod(epsilon), .relative = false, .norm = Norm::infinity};
    const auto original = robust_bayes(pair, budget);
    ASSERT_TRUE(original && original->converged);
    EXPECT_NEAR(expected_point(pair, *original, 0.5).accuracy,
                value["original_box_acc"].get<double>(), 1e-10);
    const Vector z = pair.basis * original->shift;
    EXPECT_LT((z - vector_of(value["original_box_z"])).lpNorm<Eigen::Infinity>(), 1e-8);
    budget.eigenbasis = true;
    const auto literal = robust_bayes(pair, budget);
    ASSERT_TRUE(literal.has_value());
    EXPECT_NEAR(expected_point(pair, *literal, 0.5).accuracy,
                value["eigenbasis_box_acc"].get<double>(), 1e-12);
  }
}

// Optimality of z in a ball: w = Lambda^-1 (mu~ - z) touches it there, w'z = eps |w|_q, the dual
// norm, and no point of the ball has more; and z does not leave the ball. `w`, `z` in the
// coordinates of the ball.
void expect_supports(const Vector& w, const Vector& z, double epsilon, Norm norm) {
  const bool one = norm == Norm::one;
  const double dual = one ? w.lpNorm<Eigen::Infinity>() : w.lpNorm<1>();
  const double size = one ? z.lpNorm<1>() : z.lpNorm<Eigen::Infinity>();
  EXPECT_NEAR(size, epsilon, 1e-9 * epsilon);
  EXPECT_NEAR(w.dot(z), epsilon * dual, 1e-9 * epsilon * dual);
}

TEST(RobustBayes, TouchesTheBallOfEveryNorm) {
  const GaussianPair pair = fit("rep_train", "lab_train");
  for (const Norm norm : {Norm::one, Norm::infinity}) {
    for (const double epsilon : {0.01, 0.1, 0.4, 0.8, 0.99}) {
      const auto original = robust_bayes(pair, {.epsilon = epsilon, .norm = norm});
      ASSERT_TRUE(original && original->converged) << epsilon;
      expect_supports(pair.basis * original->weights, pair.basis * original->shift,
                      original->epsilon, norm);
      const auto literal =
          robust_bayes(pair, {.epsilon = epsilon, .norm = norm, .eigenbasis = true});
      ASSERT_TRUE(literal.has_value());
      expect_supports(literal->weights, literal->shift, literal->epsilon, norm);
      const Vector back = literal->shift + pair.variances.cwiseProduct(literal->weights);
      EXPECT_LT((back - pair.half_gap).norm(), 1e-13);
    }
  }
}

// A spectrum of seven orders of magnitude in fewer samples than dimensions: the ball has 40
// dimensions, the classifier 18.
TEST(RobustBayes, TouchesTheBallOfAnIllConditionedDegenerateCovariance) {
  Matrix samples = test::gaussian(40, 20, 9);
  for (Index k = 0; k < 40; ++k) samples.row(k) *= std::pow(10.0, -static_cast<double>(k) / 11.0);
  std::vector<Label> labels(20);
  for (std::size_t i = 0; i < 20; ++i) labels[i] = static_cast<Label>(i % 2);
  const GaussianPair pair = fit_gaussian_pair(test::pool(), samples, labels);
  ASSERT_EQ(pair.rank(), 18);
  EXPECT_GT(pair.variances[0] / pair.variances[17], 1e3);
  for (const Norm norm : {Norm::one, Norm::infinity}) {
    for (const double epsilon : {0.05, 0.3, 0.8}) {
      const auto bayes = robust_bayes(pair, {.epsilon = epsilon, .norm = norm});
      ASSERT_TRUE(bayes && bayes->converged) << epsilon;
      // z is known in the eigenbasis only, where w'z is the same; it must support the ball.
      const Vector w = pair.basis * bayes->weights;
      const double dual = norm == Norm::one ? w.lpNorm<Eigen::Infinity>() : w.lpNorm<1>();
      EXPECT_NEAR(bayes->weights.dot(bayes->shift), bayes->epsilon * dual,
                  1e-7 * bayes->epsilon * dual);
    }
  }
}

TEST(RobustBayes, HasNoAnswerWithoutVarianceOrDifference) {
  GaussianPair pair = fit("rep_train", "lab_train");
  pair.half_gap.setZero();
  EXPECT_FALSE(robust_bayes(pair, {.epsilon = 0.0}).has_value());
  const Matrix constant = Matrix::Constant(3, 6, 2.5);
  const std::vector<Label> labels = {0, 1, 0, 1, 0, 1};
  const GaussianPair none = fit_gaussian_pair(test::pool(), constant, labels);
  EXPECT_TRUE(none.degenerate());
  EXPECT_FALSE(robust_bayes(none, {.epsilon = 0.2}).has_value());
}

}  // namespace
}  // namespace assay
