// Tests: learn/em.
#include "learn/mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "fixture.h"

namespace assay {
namespace {

std::vector<Matrix> golden_stack(const std::string& relative) {
  const Matrix all = test::golden_samples(relative);
  const Index dim = all.rows();
  std::vector<Matrix> out;
  for (Index first = 0; first < all.cols(); first += dim) out.push_back(all.middleCols(first, dim));
  return out;
}

Mixture golden_start() {
  return mixture_from_precisions(test::golden_samples("gmm_em/w0.npy").col(0),
                                 test::golden_samples("gmm_em/mu0.npy"),
                                 golden_stack("gmm_em/prec0.npy"));
}

double row_sum_error(const Matrix& shares) {
  return (shares.rowwise().sum().array() - 1.0).abs().maxCoeff();
}

// Everything a caller may look at is a number.
void expect_sound(const Matrix& samples, const MixtureOptions& options) {
  for (const Mixture& mixture : fit_mixtures(test::pool(), samples, options)) {
    EXPECT_TRUE(std::isfinite(mixture.log_likelihood));
    EXPECT_TRUE(mixture.means.allFinite());
    EXPECT_NEAR(mixture.weights.sum(), 1.0, 1e-12);
    EXPECT_GE(mixture.weights.minCoeff(), 0.0);
    for (const Matrix& factor : mixture.factors) {
      EXPECT_TRUE(factor.allFinite());
      EXPECT_GT(factor.diagonal().minCoeff(), 0.0);
    }
    const Matrix shares = posteriors(test::pool(), mixture, samples);
    EXPECT_TRUE(shares.allFinite());
    EXPECT_LT(row_sum_error(shares), 1e-12);
  }
}

// golden/gmm_em: scikit-learn 1.2.1, GaussianMixture(6, weights_init, means_init, precisions_init,
// tol=1e-3, reg_covar=1e-6, max_iter=100) on Z; score = score(Z), lower_bound = lower_bound_.
TEST(Mixture, EmAgreesWithScikitLearnFromTheSameStart) {
  const Matrix z = test::golden_samples("gmm_em/Z.npy");
  const nlohmann::json expected =
      nlohmann::json::parse(std::ifstream(test::golden("gmm_em/gmm.json")));
  const Mixture fitted = run_em(test::pool(), z, golden_start(), {});
  EXPECT_EQ(fitted.iterations, expected["n_iter"].get<int>());
  EXPECT_TRUE(fitted.converged);
  EXPECT_NEAR(fitted.log_likelihood, expected["score"].get<double>(), 1e-10);
  EXPECT_LT((fitted.means - test::golden_samples("gmm_em/means.npy")).cwiseAbs().maxCoeff(), 1e-9);
  const std::vector<Matrix> covariances = golden_stack("gmm_em/cov.npy");
  for (Index k = 0; k < 6; ++k) {
    const Matrix& covariance = covariances[static_cast<std::size_t>(k)];
    EXPECT_LT((fitted.covariance(k) - covariance).norm(), 1e-10 * covariance.norm());
  }
  const Matrix shares = posteriors(test::pool(), fitted, z);
  const Matrix reference = test::golden_samples("gmm_em/posterior.npy").transpose();
  EXPECT_LT((shares - reference).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(row_sum_error(shares), 1e-14);

  MixtureOptions one_less;  // scikit-learn's bound is the likelihood before its last step
  one_less.max_iterations = expected["n_iter"].get<int>() - 1;
  EXPECT_NEAR(run_em(test::pool(), z, golden_start(), one_less).log_likelihood,
              expected["lower_bound"].get<double>(), 1e-10);
}

TEST(Mixture, LikelihoodRisesAtEveryStep) {
  const Matrix z = test::golden_samples("gmm_em/Z.npy");
  double before = -std::numeric_limits<double>::infinity();
  for (int steps = 0; steps <= 20; ++steps) {
    MixtureOptions options;
    options.tolerance = 0.0;
    options.max_iterations = steps;
    const Mixture mixture = run_em(test::pool(), z, golden_start(), options);
    EXPECT_EQ(mixture.iterations, steps);
    EXPECT_GE(mixture.log_likelihood, before - 1e-9) << steps;
    before = mixture.log_likelihood;
  }
}

// SciPy: log w + multivariate_normal(mean, covariance).logpdf, then logsumexp. The third sample
// lies so far out that both densities underflow (logarithms -1752.7 and -1058.2).
TEST(Mixture, PosteriorsAgreeWithScipy) {
  const std::vector<Matrix> covariances{Matrix{{2.0, 0.6}, {0.6, 1.0}},
                                        Matrix{{0.5, -0.2}, {-0.2, 1.5}}};
  std::vector<Matrix> precisions;
  for (const Matrix& s : covariances) {
    const double determinant = s(0, 0) * s(1, 1) - s(0, 1) * s(1, 0);
    precisions.push_back(Matrix{{s(1, 1), -s(0, 1)}, {-s(1, 0), s(0, 0)}} / determinant);
  }
  const Mixture mixture =
      mixture_from_precisions(Vector{{0.3, 0.7}}, Matrix{{0, 2}, {1, -1}}, precisions);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LT((mixture.covariance(static_cast<Index>(k)) - covariances[k]).norm(), 1e-14);
  const Matrix samples{{0.5, 1.0, 30.0}, {0.5, 0.0, -40.0}};
  const Matrix shares = posteriors(test::pool(), mixture, samples);
  EXPECT_NEAR(shares(0, 0), 0.720953897, 1e-9);
  EXPECT_NEAR(shares(1, 0), 0.194721417, 1e-9);
  EXPECT_NEAR(shares(2, 0) / 2.34274568e-302, 1.0, 1e-6);
  EXPECT_EQ(shares(2, 1), 1.0);
  MixtureOptions none;
  none.max_iterations = 0;
  EXPECT_NEAR(run_em(test::pool(), samples, mixture, none).log_likelihood, -354.7885692330226,
              1e-10);
}

// golden/gmm_blobs/X.npy: four correlated Gaussians in three dimensions (NumPy, seed 7).
// scikit-learn 1.2.1: GaussianMixture(4, n_init=5, random_state=0).fit(X).score(X), the same for
// random_state 1 and 2 and for init_params 'kmeans' and 'k-means++'.
TEST(Mixture, ReachesTheLikelihoodOfScikitLearnOnBlobs) {
  const Matrix x = test::golden_samples("gmm_blobs/X.npy");
  const std::vector<Mixture> fits =
      fit_mixtures(test::pool(), x, {.components = 4, .starts = 5, .seed = 1});
  ASSERT_EQ(fits.size(), 5U);
  EXPECT_NEAR(fits.front().log_likelihood, -5.297978158351843, 1e-6);
  for (std::size_t i = 1; i < fits.size(); ++i)
    EXPECT_GE(fits[i - 1].log_likelihood, fits[i].log_likelihood);
  // One component has a closed form: GaussianMixture(1).fit(X).score(X).
  EXPECT_NEAR(fit_mixtures(test::pool(), x, {.components = 1}).front().log_likelihood,
              -8.527067057316915, 1e-6);
}

TEST(Mixture, PosteriorsDoNotDependOnTheScale) {
  const Matrix x = test::golden_samples("gmm_em/Z.npy");
  const MixtureOptions options{.components = 5, .starts = 2, .seed = 3};
  const Mixture plain = fit_mixtures(test::pool(), x, options).front();
  const Matrix shares = posteriors(test::pool(), plain, x);
  for (const double scale : {1e-6, 1000.0, 1e6}) {
    const Matrix scaled = scale * x;
    const Mixture fit = fit_mixtures(test::pool(), scaled, options).front();
    EXPECT_LT((posteriors(test::pool(), fit, scaled) - shares).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_NEAR(fit.log_likelihood, plain.log_likelihood - 12.0 * std::log(scale), 1e-8);
  }
}

TEST(Mixture, EmDoesNotDependOnTheOrderOfSamplesOrComponents) {
  const Matrix z = test::golden_samples("gmm_em/Z.npy");
  const Matrix shares = posteriors(test::pool(), run_em(test::pool(), z, golden_start(), {}), z);
  const Matrix backwards = z.rowwise().reverse();
  const Mixture start = golden_start();
  Mixture renamed = start;
  renamed.weights = start.weights.reverse();
  renamed.means = start.means.rowwise().reverse();
  renamed.factors.assign(start.factors.rbegin(), start.factors.rend());
  const Matrix other = posteriors(test::pool(), run_em(test::pool(), backwards, renamed, {}), z);
  EXPECT_LT((other.rowwise().reverse() - shares).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Mixture, UsesNoMoreComponentsThanSamples) {
  const Matrix x = test::gaussian(3, 4, 1);
  const std::vector<Mixture> fits = fit_mixtures(test::pool(), x, {.components = 10});
  EXPECT_EQ(fits.front().components(), 4);
  EXPECT_EQ(posteriors(test::pool(), fits.front(), x).cols(), 4);
  expect_sound(x, {.components = 10});
}

// One sample: its point with the regularisation (times 1, as there is no variance) around it.
TEST(Mixture, FitsASingleSample) {
  const Matrix x = Matrix::Constant(2, 1, 3.0);
  const Mixture fit = fit_mixtures(test::pool(), x, {.components = 5}).front();
  EXPECT_EQ(fit.components(), 1);
  EXPECT_EQ(fit.means, x);
  EXPECT_LT((fit.covariance(0) - 1e-6 * Matrix::Identity(2, 2)).norm(), 1e-20);
  EXPECT_NEAR(fit.log_likelihood, -std::log(2.0 * std::numbers::pi * 1e-6), 1e-9);
}

TEST(Mixture, WithoutFeaturesPosteriorsAreTheWeights) {
  const Matrix nothing(0, 6);
  const std::vector<Mixture> fits = fit_mixtures(test::pool(), nothing, {.components = 3});
  ASSERT_EQ(fits.size(), 5U);
  EXPECT_EQ(fits.front().log_likelihood, 0.0);
  const Matrix shares = posteriors(test::pool(), fits.front(), nothing);
  EXPECT_EQ(shares.rows(), 6);
  EXPECT_LT((shares.array() - 1.0 / 3.0).abs().maxCoeff(), 1e-15);
}

TEST(Mixture, StaysFiniteOnHostileSamples) {
  const MixtureOptions four{.components = 4};
  expect_sound(Matrix::Constant(3, 40, 0.1), four);  // one point
  expect_sound(Matrix::Constant(3, 40, 1e6), four);
  const Matrix x = test::gaussian(3, 30, 2);
  Matrix constant_feature(4, 30);
  constant_feature << x, Matrix::Constant(1, 30, 7.0);
  expect_sound(constant_feature, four);
  expect_sound(x.leftCols(2).replicate(1, 20), four);  // fewer points than components
  expect_sound(x.leftCols(6).replicate(1, 20), four);  // every component may collapse
  expect_sound(1e6 * x, four);
  expect_sound(1e-6 * x, four);
  expect_sound(x.array() + 1e6, four);
  expect_sound(test::gaussian(1, 50, 3), four);   // d = 1
  expect_sound(test::gaussian(40, 50, 4), four);  // fewer samples per component than dimensions
  Matrix outlier = x;
  outlier.col(5).setConstant(1e8);
  expect_sound(outlier, four);
}

// The absolute regularisation is far below the rounding of these covariances (1e12, two equal
// features), so the factorisation needs more.
TEST(Mixture, EmStaysFiniteWhenTheRegularisationDrowns) {
  const Matrix x = 1e6 * test::gaussian(2, 60, 5);
  Matrix doubled(4, 60);
  doubled << x, x;
  Mixture start;
  start.weights = Vector::Constant(2, 0.5);
  start.means = doubled.leftCols(2);
  start.factors.assign(2, 1e6 * Matrix::Identity(4, 4));
  for (const double regularisation : {1e-6, 0.0}) {
    MixtureOptions options;
    options.regularisation = regularisation;
    const Mixture fit = run_em(test::pool(), doubled, start, options);
    EXPECT_TRUE(std::isfinite(fit.log_likelihood));
    EXPECT_TRUE(posteriors(test::pool(), fit, doubled).allFinite());
  }
}

// A component out of everyone's reach keeps its parameters and all but vanishes.
TEST(Mixture, KeepsAComponentThatHasNoSamples) {
  const Matrix x = test::gaussian(2, 80, 6);
  Mixture start;
  start.weights = Vector::Constant(2, 0.5);
  start.means = Matrix{{0.0, 1e4}, {0.0, 1e4}};
  start.factors.assign(2, Matrix::Identity(2, 2));
  const Mixture fit = run_em(test::pool(), x, start, {});
  EXPECT_EQ(fit.means.col(1), start.means.col(1));
  EXPECT_LT(fit.weights[1], 1e-15);
  EXPECT_LT((fit.means.col(0) - x.rowwise().mean()).norm(), 1e-12);
}

TEST(Mixture, IsBitEqualForAnyNumberOfThreads) {
  const Matrix x = test::golden_samples("gmm_em/Z.npy");
  const MixtureOptions options{.components = 6, .starts = 3, .seed = 2};
  ThreadPool one(1);
  ThreadPool two(2);
  const std::vector<Mixture> a = fit_mixtures(one, x, options);
  const std::vector<Mixture> b = fit_mixtures(two, x, options);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].log_likelihood, b[i].log_likelihood);
    EXPECT_TRUE(a[i].means == b[i].means);
    EXPECT_TRUE(a[i].factors == b[i].factors);
  }
  EXPECT_TRUE(posteriors(one, a[0], x) == posteriors(two, a[0], x));
}

}  // namespace
}  // namespace assay
