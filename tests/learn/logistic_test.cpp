// Tests: learn/newton_direction.
#include "learn/logistic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dense_logistic.h"
#include "learn/row_space.h"
#include "support.h"

namespace assay {
namespace {

struct Case {
  Matrix features;  // n x D
  std::vector<Label> labels;
  Index classes = 0;
};

Case case_of(const test::Sample& sample, Index classes) {
  return {sample.features, sample.targets.labels, classes};
}

struct Fitted {
  RowSpace space;
  LogisticFit fit;
  Matrix probabilities;  // n x K
};

Fitted fitted(const Case& data, double beta, ThreadPool& pool = test::pool()) {
  Fitted out;
  out.space = row_space(pool, data.features.transpose());
  LogisticOptions options;
  options.beta = beta;
  out.fit = LogisticProblem(pool, out.space.z, data.labels, data.classes).fit(options);
  out.probabilities = logistic_probabilities(pool, out.fit.weights, out.space.z).transpose();
  return out;
}

void expect_optimum(const Case& data, double beta) {
  const Fitted got = fitted(data, beta);
  const test::DenseLogistic dense =
      test::dense_logistic(data.features, data.labels, data.classes, beta);
  EXPECT_TRUE(got.fit.converged);
  EXPECT_NEAR(got.fit.loss, dense.loss, 1e-9);
  EXPECT_NEAR(got.fit.penalty, dense.penalty, 1e-9);
  EXPECT_NEAR(got.fit.loss + got.fit.penalty, dense.value(), 1e-12);
  EXPECT_LT((got.probabilities - dense.probabilities).cwiseAbs().maxCoeff(), 1e-8);
  const Matrix theta = got.space.basis * got.fit.weights;  // back in the features' coordinates
  EXPECT_LT((theta - dense.theta).norm(), 1e-7 * std::max(1.0, dense.theta.norm()));
}

// x_ij = sin(1 + 3 i + 7 j + i j / 2), y_i = (i^2 + i / 3) mod 3.
Case sines(Index n, Index dim) {
  Case out{Matrix(n, dim), {}, 3};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < dim; ++j)
      out.features(i, j) =
          std::sin(1.0 + static_cast<double>(3 * i + 7 * j) + 0.5 * static_cast<double>(i * j));
    out.labels.push_back(static_cast<Label>((i * i + i / 3) % 3));
  }
  return out;
}

struct Known {
  Index n, dim;
  double beta, loss, penalty;
  Vector last;  // probabilities of the last sample
};

// SciPy 1.10: minimize(f, 0, jac=True, method='L-BFGS-B', gtol=1e-9, ftol=0) on
//   f(T) = mean(logsumexp(X T, 1) - (X T)[i, y_i]) + |T|^2 / (2 beta),  X = [x, 1],
// then 20 Newton steps T -= solve(H, g) with the dense Hessian; |g| ends below 1e-16.
TEST(Logistic, AgreesWithSciPy) {
  const std::vector<Known> known = {
      {20, 3, 5.0, 1.0321583513781603, 0.02321073893669978,
       Vector{{0.2497151172381512, 0.3797429576642646, 0.3705419250975843}}},
      {20, 3, 200.0, 1.0012599274289442, 0.0031333817516969566,
       Vector{{0.1646248971649019, 0.3990116201574435, 0.4363634826776546}}},
      {8, 12, 5.0, 0.33789678719182176, 0.22594151007363944,
       Vector{{0.6940235003065874, 0.1306003612107144, 0.1753761384826983}}},
      {8, 12, 80.0, 0.04493412493295573, 0.08102780590131617,
       Vector{{0.9517429723761592, 0.0166870535644689, 0.0315699740593719}}}};
  for (const Known& one : known) {
    const Fitted got = fitted(sines(one.n, one.dim), one.beta);
    EXPECT_TRUE(got.fit.converged);
    EXPECT_NEAR(got.fit.loss, one.loss, 1e-10);
    EXPECT_NEAR(got.fit.penalty, one.penalty, 1e-10);
    EXPECT_LT((got.probabilities.bottomRows(1).transpose() - one.last).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Logistic, InRowSpaceEqualsTheFullSpace) {
  for (const double beta : {0.5, 20.0, 500.0}) {
    expect_optimum(case_of(test::blobs(3, 15, 6, 2.0), 3), beta);
    expect_optimum(case_of(test::blobs(4, 5, 30, 1.0), 4), beta);
  }
}

TEST(Logistic, SolvesSeparableDataWithAWeakPenalty) {
  const Case data = case_of(test::blobs(3, 12, 8, 0.1), 3);
  expect_optimum(data, 1e4);
  const Fitted weak = fitted(data, 1e8);
  EXPECT_TRUE(weak.fit.converged);
  EXPECT_LT(weak.fit.loss, 1e-4);
  EXPECT_GT(weak.fit.penalty, 0.0);
}

TEST(Logistic, SolvesDependentAndConstantFeatures) {
  Case data = case_of(test::blobs(3, 10, 5, 1.0), 3);
  data.features.col(1).setConstant(2.0);
  data.features.col(2).setZero();
  data.features.col(4) = data.features.col(3);
  expect_optimum(data, 50.0);
  data.features.setConstant(0.3);  // balanced classes: the optimum is zero
  const Fitted none = fitted(data, 50.0);
  EXPECT_TRUE(none.fit.converged);
  EXPECT_NEAR(none.fit.loss, std::log(3.0), 1e-14);
  EXPECT_NEAR(none.fit.penalty, 0.0, 1e-14);
}

TEST(Logistic, SolvesClassesOfOneSampleAndAClassWithout) {
  Case data = case_of(test::blobs(2, 10, 5, 1.0), 2);
  data.labels[3] = 2;
  data.classes = 4;
  expect_optimum(data, 100.0);
}

TEST(Logistic, SolvesTwoSamples) {
  expect_optimum({Matrix{{1.0, 2.0, 3.0}, {-1.0, 0.0, 1.0}}, {0, 1}, 2}, 20.0);
  expect_optimum({Matrix{{1.0}, {1.0}}, {0, 1}, 2}, 20.0);
}

// theta x is unchanged by x -> c x, beta -> beta / c^2 but for the constant; without the constant
// (balanced and symmetric: it is zero) the fits agree.
TEST(Logistic, ScalesWithTheFeatures) {
  Matrix half = test::gaussian(10, 4, 3);
  Case data{Matrix(20, 4), {}, 2};
  data.features << half, -half;
  for (Index i = 0; i < 20; ++i) data.labels.push_back(i < 10 ? 0 : 1);
  data.features.col(0).head(10).array() += 1.0;
  data.features.col(0).tail(10).array() -= 1.0;
  const Fitted plain = fitted(data, 30.0);
  for (const double scale : {std::ldexp(1.0, 100), std::ldexp(1.0, 20)}) {
    Case scaled = data;
    scaled.features *= scale;
    const Fitted got = fitted(scaled, 30.0 / (scale * scale));
    EXPECT_TRUE(got.fit.converged);
    EXPECT_NEAR(got.fit.loss, plain.fit.loss, 1e-10);
    EXPECT_NEAR(got.fit.penalty, plain.fit.penalty, 1e-10);
  }
}

// Newton's decrement from the dense Hessian (diag p_i - p_i p_i') x z_i z_i' and the gradient.
double decrement(const Fitted& at, const Case& data, double beta) {
  const Index r = at.space.z.rows();
  const Index n = at.space.z.cols();
  Matrix hessian = Matrix::Identity(r * data.classes, r * data.classes) / beta;
  Matrix error = at.probabilities;
  for (Index i = 0; i < n; ++i) {
    const Vector p = at.probabilities.row(i);
    Matrix weight = -p * p.transpose();
    weight.diagonal() += p;
    const Vector z = at.space.z.col(i);
    for (Index a = 0; a < data.classes; ++a)
      for (Index b = 0; b < data.classes; ++b)
        hessian.block(a * r, b * r, r, r) +=
            weight(a, b) * z * z.transpose() / static_cast<double>(n);
    error(i, data.labels[static_cast<std::size_t>(i)]) -= 1.0;
  }
  const Matrix gradient = at.space.z * error / static_cast<double>(n) + at.fit.weights / beta;
  const Vector g = gradient.reshaped();
  return g.dot(hessian.ldlt().solve(g));
}

TEST(Logistic, DecrementAtTheResultIsWithinTheTolerance) {
  const Case data = case_of(test::blobs(5, 30, 12, 2.0), 5);
  for (const double beta : {15.0, 1500.0, 15000.0}) {
    const Fitted got = fitted(data, beta);
    EXPECT_TRUE(got.fit.converged);
    EXPECT_LT(decrement(got, data, beta), 1e-14);
  }
}

// A mean of 10000 deviations leaves float, which shapes the steps, little to go by: the fit says so
// and is still good to six digits.
TEST(Logistic, SaysWhenItIsNotConverged) {
  Case data = case_of(test::blobs(3, 12, 5, 1.0), 3);
  data.features.array() += 1e4;
  const Fitted got = fitted(data, 360.0);
  const test::DenseLogistic dense = test::dense_logistic(data.features, data.labels, 3, 360.0);
  EXPECT_NEAR(got.fit.loss + got.fit.penalty, dense.value(), 1e-6);
  LogisticOptions hasty;
  hasty.beta = 360.0;
  hasty.max_iterations = 1;
  EXPECT_FALSE(LogisticProblem(test::pool(), got.space.z, data.labels, 3).fit(hasty).converged);
}

TEST(Logistic, StartDoesNotChangeTheOptimum) {
  const Case data = case_of(test::blobs(4, 20, 10, 2.0), 4);
  const Fitted cold = fitted(data, 800.0);
  LogisticOptions options;
  options.beta = 800.0;
  for (const double beta : {8.0, 8000.0}) {
    const Fitted other = fitted(data, beta);
    const LogisticFit warm =
        LogisticProblem(test::pool(), other.space.z, data.labels, 4).fit(options, &other.fit);
    EXPECT_TRUE(warm.converged);
    EXPECT_NEAR(warm.loss, cold.fit.loss, 1e-10);
    EXPECT_NEAR(warm.penalty, cold.fit.penalty, 1e-10);
    EXPECT_LT((warm.weights - cold.fit.weights).norm(), 1e-6 * cold.fit.weights.norm());
  }
  const LogisticFit again =
      LogisticProblem(test::pool(), cold.space.z, data.labels, 4).fit(options, &cold.fit);
  EXPECT_LT(again.iterations, cold.fit.iterations);
  EXPECT_NEAR(again.loss, cold.fit.loss, 1e-11);
}

TEST(Logistic, IsTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  const Case data = case_of(test::blobs(4, 200, 20, 3.0), 4);
  const Fitted a = fitted(data, 8000.0, one);
  const Fitted b = fitted(data, 8000.0, test::pool());
  EXPECT_EQ(a.fit.weights, b.fit.weights);
  EXPECT_EQ(a.fit.loss, b.fit.loss);
  EXPECT_EQ(a.probabilities, b.probabilities);
}

// More classes than thin products take, and no more samples than dimensions: directions are found
// in the coordinates of samples there.
Case many_classes(Index n, Index dim) {
  Case out{test::gaussian(n, dim, 7), {}, 45};
  for (Index i = 0; i < n; ++i) {
    out.labels.push_back(static_cast<Label>(i % 45));
    out.features(i, i % 45) += 2.0;
  }
  return out;
}

// The objective is 1/beta-strongly convex, so that |theta - theta*| <= beta |g| and
// f - f* <= beta |g|^2 / 2. The gradient is taken in the features' own coordinates.
double gradient_norm(const Fitted& at, const Case& data, double beta) {
  const Index n = data.features.rows();
  Matrix x(n, data.features.cols() + 1);
  x << data.features, Vector::Ones(n);
  const Matrix theta = at.space.basis * at.fit.weights;
  Matrix error = x * theta;
  for (Index i = 0; i < n; ++i) {
    error.row(i) = (error.row(i).array() - error.row(i).maxCoeff()).exp();
    error.row(i) /= error.row(i).sum();
    error(i, data.labels[static_cast<std::size_t>(i)]) -= 1.0;
  }
  return (x.transpose() * error / static_cast<double>(n) + theta / beta).norm();
}

TEST(Logistic, SolvesManyClassesWithFewSamples) {
  const Case data = many_classes(180, 200);
  for (const double beta : {10.0, 1800.0, 1e5}) {
    const Fitted got = fitted(data, beta);
    EXPECT_TRUE(got.fit.converged);
    EXPECT_LT(beta * gradient_norm(got, data, beta), 1e-6);
  }
}

TEST(Logistic, SolvesManyClassesOnHostileSamples) {
  Case data = many_classes(90, 120);
  data.features.row(1) = data.features.row(0);  // another class
  data.features.col(3).setConstant(30.0);
  data.features.col(4).setZero();
  for (const double scale : {1e-3, 1.0, 1e3}) {
    Case scaled = data;
    scaled.features *= scale;
    const double beta = 900.0 / (scale * scale);
    const Fitted got = fitted(scaled, beta);
    EXPECT_TRUE(got.fit.converged);
    const double size = got.fit.weights.norm();
    EXPECT_LT(beta * gradient_norm(got, scaled, beta), 1e-6 * size);
  }
}

// Large features fit almost everything: what is left of the loss must still be good to as many
// digits. Its gradient and the penalty's cancel at the optimum; each alone has the size of theta /
// beta.
TEST(Logistic, SolvesLargeFeaturesToRelativeDigits) {
  for (const double scale : {1e2, 1e4}) {
    for (const Index dim : {40, 120}) {
      Case data = many_classes(90, dim < 45 ? 45 : dim);
      data.features = scale * data.features.leftCols(dim).eval();
      const Fitted got = fitted(data, 900.0);
      EXPECT_TRUE(got.fit.converged);
      EXPECT_LT(900.0 * gradient_norm(got, data, 900.0), 1e-4 * got.fit.weights.norm());
    }
  }
}

TEST(Logistic, ManyClassesAreTheSameForAnyNumberOfThreads) {
  ThreadPool one(1);
  const Case data = many_classes(400, 450);
  const Fitted a = fitted(data, 4000.0, one);
  const Fitted b = fitted(data, 4000.0, test::pool());
  EXPECT_EQ(a.fit.weights, b.fit.weights);
  EXPECT_EQ(a.fit.loss, b.fit.loss);
}

TEST(Logistic, ProbabilitiesSurviveLargeLogits) {
  const Matrix p =
      logistic_probabilities(test::pool(), Matrix{{1.0, 0.0, -1.0}}, Matrix{{1e6, -1e6}});
  const Matrix expected{{1.0, 0.0}, {0.0, 0.0}, {0.0, 1.0}};
  EXPECT_LT((p - expected).cwiseAbs().maxCoeff(), 1e-300);
}

}  // namespace
}  // namespace assay
