// Tests: metrics/pactran_dirichlet, metrics/pactran_gamma, metrics/pactran_gauss,
//   metrics/variational.
#include "metrics/pactran.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

#include "dense_logistic.h"
#include "fixture.h"

namespace assay {
namespace {

Probabilities some_source(std::uint64_t seed, Index sources = 6) {
  std::vector<Label> labels;
  for (Label i = 0; i < 60; ++i) labels.push_back(i * i % 7 % 4);
  return make_probabilities(test::source_probabilities(labels, sources, seed), labels);
}

void expect_falling(const VariationalBound& bound) {
  EXPECT_TRUE(bound.converged);
  ASSERT_EQ(static_cast<int>(bound.trace.size()), bound.sweeps);
  EXPECT_EQ(bound.trace.back(), bound.value);
  for (std::size_t k = 1; k < bound.trace.size(); ++k)
    EXPECT_LE(bound.trace[k], bound.trace[k - 1] + 1e-13 * std::abs(bound.value)) << k;
}

// log of the chance of `counts` in a given order, weights from a Dirichlet with `alpha`.
double log_dirichlet_multinomial(const Vector& counts, const Vector& alpha) {
  double out = std::lgamma(alpha.sum()) - std::lgamma(alpha.sum() + counts.sum());
  for (Index y = 0; y < counts.size(); ++y)
    out += std::lgamma(alpha[y] + counts[y]) - std::lgamma(alpha[y]);
  return out;
}

// -log p(y) / n, summed over all Z^n assignments of samples to source classes.
double exact_cost(const Probabilities& source) {
  const Index n = source.count();
  const Index z = source.p.cols();
  const auto ways = static_cast<Index>(std::pow(z, n));
  double evidence = 0.0;
  for (Index way = 0; way < ways; ++way) {
    Matrix counts = Matrix::Zero(source.classes(), z);
    double weight = 1.0;
    for (Index i = 0, rest = way; i < n; ++i, rest /= z) {
      weight *= source.p(i, rest % z);
      counts(source.labels[static_cast<std::size_t>(i)], rest % z) += 1.0;
    }
    double log_likelihood = 0.0;
    for (Index k = 0; k < z; ++k)
      log_likelihood += log_dirichlet_multinomial(counts.col(k), source.shares);
    evidence += weight * std::exp(log_likelihood);
  }
  return -std::log(evidence) / static_cast<double>(n);
}

TEST(DirichletBound, FallsAtEverySweep) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) expect_falling(dirichlet_bound(some_source(seed)));
}

TEST(DirichletBound, LiesAboveTheExactEvidence) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Label> labels{0, 1, 0};
    const Probabilities source =
        make_probabilities(test::source_probabilities(labels, 2, seed), labels);
    const double bound = dirichlet_bound(source).value;
    EXPECT_GE(bound, exact_cost(source)) << seed;
    EXPECT_LE(bound, exact_cost(source) + 0.5) << seed;
  }
}

// Decisions leave no assignment open, so the bound is the evidence itself.
TEST(DirichletBound, IsExactForDecisions) {
  const Matrix p{{1.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {1.0, 0.0}};
  const Probabilities source = make_probabilities(p, {0, 1, 1, 0});
  EXPECT_NEAR(dirichlet_bound(source).value, exact_cost(source), 1e-12);
}

// One source class: nothing to assign.
TEST(DirichletBound, IsExactForOneSourceClass) {
  const Probabilities source = some_source(1, 1);
  Vector counts = source.shares * static_cast<double>(source.count());
  const double exact = -log_dirichlet_multinomial(counts, source.shares) / 60.0;
  EXPECT_NEAR(dirichlet_bound(source).value, exact, 1e-12);
  // Gammas divided by their sum are that Dirichlet: the Gamma bounds have the same target.
  EXPECT_GE(gamma_bound(source, false).value, exact);
  EXPECT_GE(gamma_bound(source, true).value, exact);
}

// A sample spread over many source classes that all look hopeless beside one that it gives nothing
// to: exponentials of its scores underflow together.
TEST(DirichletBound, SurvivesScoresThatUnderflowTogether) {
  constexpr Index n = 3000;
  constexpr Index sources = 2001;
  std::vector<Label> labels(n, 1);
  labels[0] = labels[1] = 0;
  Matrix p = Matrix::Zero(n, sources);
  p(0, 0) = 1.0;
  for (Index i = 1; i < n; ++i) p.row(i).tail(sources - 1).setConstant(1.0 / (sources - 1));
  const Probabilities source = make_probabilities(p, labels);
  EXPECT_TRUE(std::isfinite(pactran_dirichlet(source).value));
  EXPECT_TRUE(std::isfinite(pactran_gamma(source).value));
}

TEST(GammaBound, NeverRisesWithAFreeRate) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    expect_falling(gamma_bound(some_source(seed), true));
}

TEST(GammaBound, IsTighterWithAFreeRate) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Probabilities source = some_source(seed);
    const VariationalBound fixed = gamma_bound(source, false);
    const VariationalBound free = gamma_bound(source, true);
    EXPECT_TRUE(fixed.converged);
    EXPECT_LT(free.value, fixed.value);
    const Score score = pactran_gamma(source);
    EXPECT_EQ(score.value, fixed.value);
    EXPECT_EQ(score.details.back(), (std::pair<std::string, double>{"free_rate", free.value}));
  }
}

TEST(PactranBounds, RewardASourceThatKnows) {
  std::vector<Label> labels;
  for (Label i = 0; i < 60; ++i) labels.push_back(i % 3);
  Matrix knowing = Matrix::Constant(60, 3, 0.01);
  for (Index i = 0; i < 60; ++i) knowing(i, i % 3) = 0.98;
  const Probabilities good = make_probabilities(knowing, labels);
  const Probabilities bad = make_probabilities(Matrix::Constant(60, 3, 1.0 / 3.0), labels);
  EXPECT_LT(pactran_dirichlet(good).value, pactran_dirichlet(bad).value - 0.3);
  EXPECT_LT(pactran_gamma(good).value, pactran_gamma(bad).value - 0.3);
}

TEST(NPactran, IsPactranOfTheLikeliestMixture) {
  const Samples samples = test::samples_of(test::blobs(4, 30, 6, 1.5), 7);
  const Probabilities best =
      make_probabilities(samples.mixture_posteriors().front(), samples.labels());
  EXPECT_EQ(npactran_dirichlet(samples).value, pactran_dirichlet(best).value);
  EXPECT_EQ(npactran_gamma(samples).value, pactran_gamma(best).value);
  EXPECT_EQ(npactran_gamma(samples).details.back().first, "spread");
  EXPECT_GE(npactran_gamma(samples).details.back().second, 0.0);
}

struct Gauss {
  double risk;
  double flatness;
};

// Eq. 14 with dense matrices in the features' own coordinates.
Gauss dense_gauss(const test::Sample& s, Index classes, double beta, double variance) {
  const test::DenseLogistic fit = test::dense_logistic(s.features, s.targets.labels, classes, beta);
  const double trace = fit.hessian().trace() / static_cast<double>(s.features.rows());
  const auto weights = static_cast<double>(classes * s.features.cols());
  return {fit.value(), weights * variance / (2.0 * beta) * std::log(1.0 + beta / weights * trace)};
}

TEST(PactranGauss, EqualsTheDenseBound) {
  for (const Index dim : {5, 30}) {  // n = 24: either side
    const test::Sample s = test::blobs(3, 8, dim, 2.0);
    const Gauss expected = dense_gauss(s, 3, 240.0, 100.0 / static_cast<double>(dim));
    const Score score = pactran_gauss(test::samples_of(s));
    EXPECT_TRUE(score.flags.empty());
    EXPECT_NEAR(score.value, expected.risk + expected.flatness, 1e-8);
    EXPECT_NEAR(score.details[0].second, expected.risk, 1e-10);
    EXPECT_NEAR(score.details[1].second, expected.flatness, 1e-8);
    EXPECT_EQ(score.details[0].first, "rer");
    EXPECT_EQ(score.details[1].first, "fr");
    EXPECT_DOUBLE_EQ(score.value, score.details[0].second + score.details[1].second);
  }
}

TEST(PactranGauss, GivesTheReleasedCodesScaleBesideTheValue) {  // N Tr H instead of Tr H
  const test::Sample s = test::blobs(3, 8, 5, 2.0);
  const Score score = pactran_gauss(test::samples_of(s));
  const GaussianBound bound = gaussian_bound(test::samples_of(s), 240.0);
  const double expected =
      bound.risk + 15.0 * 20.0 / 480.0 * std::log1p(240.0 / 15.0 * 24.0 * bound.trace);
  ASSERT_EQ(score.details[2].first, "released_scale");
  EXPECT_NEAR(score.details[2].second, expected, 1e-12);
}

TEST(PactranGauss, OfCentredSamplesIsThatOfFeaturesMinusTheirMeans) {
  for (const Index dim : {5, 60}) {
    test::Sample s = test::blobs(3, 8, dim, 2.0);
    s.features.array() += 7.0;
    const Samples centred(test::pool(), Matrix(s.features.transpose()), s.targets.labels, 0, true);
    const Matrix plain = s.features.rowwise() - s.features.colwise().mean();
    const Score expected = pactran_gauss(test::samples_of(plain, s.targets.labels));
    EXPECT_NEAR(pactran_gauss(centred).value, expected.value, 1e-9);
    EXPECT_GT(std::abs(pactran_gauss(test::samples_of(s)).value - expected.value), 1e-3);
  }
}

TEST(PactranGauss, SaysWhenSquaresLoseTheFeaturesOrTheConstant) {
  const test::Sample s = test::blobs(3, 30, 6, 2.0);
  const auto flagged = [&](const Matrix& features) {
    const Score score = pactran_gauss(test::samples_of(features, s.targets.labels));
    return std::ranges::find(score.flags, "ill_scaled") != score.flags.end();
  };
  EXPECT_FALSE(flagged(s.features));
  EXPECT_FALSE(flagged(1e-5 * s.features));
  EXPECT_FALSE(flagged(1e3 * s.features));
  EXPECT_TRUE(flagged(1e6 * s.features));  // the constant
  EXPECT_TRUE(flagged(s.features.array() + 1e6));
  Matrix one_large = s.features;
  one_large.col(2) *= 1e7;
  EXPECT_TRUE(flagged(one_large));
}

TEST(PactranGaussGrid, HasEveryPairOfSettings) {
  const test::Sample s = test::blobs(3, 8, 5, 2.0);
  const Score grid = pactran_gauss_grid(test::samples_of(s));
  ASSERT_EQ(grid.variants.size(), 12U);
  std::size_t k = 0;
  for (const double beta : {2.4, 24.0, 240.0}) {
    for (const double variance : {0.2, 2.0, 20.0, 200.0}) {
      const Gauss expected = dense_gauss(s, 3, beta, variance);
      const double value = expected.risk + expected.flatness;
      EXPECT_NEAR(grid.variants[k++], value, 1e-8 * std::max(1.0, value));
    }
  }
  EXPECT_NEAR(grid.variants[10], pactran_gauss(test::samples_of(s)).value, 1e-10);
}

// Soft labels whose entries are quarters, some of them 0.
Probabilities soft_source(std::uint64_t seed) {
  const Probabilities hard = some_source(seed);
  Matrix soft = Matrix::Zero(hard.count(), hard.classes());
  for (Index i = 0; i < soft.rows(); ++i) {
    soft(i, hard.labels[static_cast<std::size_t>(i)]) += 0.5;
    soft(i, i % soft.cols()) += 0.25;
    soft(i, (i / 4) % soft.cols()) += 0.25;
  }
  return make_soft_probabilities(hard.p, soft);
}

// The bound of Eq. 10 for weights s_iy, every sum written out: with q_iyz proportional to
// P_iz exp E log w_yz,
//     sum_iy s_iy sum_z q_iyz (log q_iyz - log P_iz - E log w_yz) + sum_z KL(q(w_z) | p(w_z)).
double direct_dirichlet(const Probabilities& source, int sweeps) {
  const Index n = source.count();
  const Matrix prior = source.shares.replicate(1, source.p.cols());
  const auto log_beta = [](const Vector& a) {
    double out = -std::lgamma(a.sum());
    for (const double x : a) out += std::lgamma(x);
    return out;
  };
  const auto psi = [](double x) { return boost::math::digamma(x); };
  Matrix alpha = prior + source.soft.transpose() * source.p;
  double value = 0.0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    Matrix expected = alpha.unaryExpr(psi);
    for (Index z = 0; z < alpha.cols(); ++z) expected.col(z).array() -= psi(alpha.col(z).sum());
    value = 0.0;
    Matrix next = prior;
    for (Index i = 0; i < n; ++i) {
      for (Index y = 0; y < source.classes(); ++y) {
        Vector q = source.p.row(i).transpose().array() * expected.row(y).transpose().array().exp();
        q /= q.sum();
        for (Index z = 0; z < q.size(); ++z) {
          next(y, z) += source.soft(i, y) * q[z];
          value += source.soft(i, y) * q[z] * (std::log(q[z]) - std::log(source.p(i, z)));
        }
      }
    }
    alpha = next;
    for (Index z = 0; z < alpha.cols(); ++z) {
      // KL(q | p) less the data's E log w: (alpha - prior) E log w cancels, the counts being just
      // that.
      value += log_beta(prior.col(z)) - log_beta(alpha.col(z));
    }
  }
  return value / static_cast<double>(n);
}

TEST(PactranDirichlet, OfSoftLabelsIsTheWeightedBound) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Probabilities source = soft_source(seed);
    const VariationalBound bound = dirichlet_bound(source);
    expect_falling(bound);
    EXPECT_NEAR(bound.value, direct_dirichlet(source, bound.sweeps + 50), 1e-9);
  }
}

TEST(Pactran, OfCertainSoftLabelsIsThatOfClasses) {
  const Probabilities hard = some_source(3);
  Matrix certain = Matrix::Zero(hard.count(), hard.classes());
  for (Index i = 0; i < certain.rows(); ++i)
    certain(i, hard.labels[static_cast<std::size_t>(i)]) = 1.0;
  const Probabilities soft = make_soft_probabilities(hard.p, certain);
  EXPECT_NEAR(dirichlet_bound(soft).value, dirichlet_bound(hard).value, 1e-12);
  EXPECT_NEAR(gamma_bound(soft, false).value, gamma_bound(hard, false).value, 1e-12);
  EXPECT_NEAR(gamma_bound(soft, true).value, gamma_bound(hard, true).value, 1e-12);
}

// Eq. 12 with weights, every sum written out; the rate stays 1 as the paper has it.
TEST(PactranGamma, OfSoftLabelsIsTheWeightedBound) {
  const Probabilities source = soft_source(4);
  const Index classes = source.classes();
  const Matrix prior = source.shares.replicate(1, source.p.cols());
  Matrix shape = prior + source.soft.transpose() * source.p;
  double value = 0.0;
  const VariationalBound bound = gamma_bound(source, false);
  for (int sweep = 0; sweep < bound.sweeps + 50; ++sweep) {
    const Matrix weight =
        shape.unaryExpr([](double a) { return std::exp(boost::math::digamma(a)); });
    Matrix next = prior;
    double entropy = 0.0;
    for (Index i = 0; i < source.count(); ++i) {
      for (Index y = 0; y < classes; ++y) {
        Vector q = source.p.row(i).transpose().cwiseProduct(weight.row(y).transpose());
        q /= q.sum();
        for (Index z = 0; z < q.size(); ++z) {
          next(y, z) += source.soft(i, y) * q[z];
          entropy += source.soft(i, y) * q[z] * (std::log(q[z]) - std::log(source.p(i, z)));
        }
      }
    }
    shape = next;
    value = entropy;
    for (Index z = 0; z < shape.cols(); ++z) {
      for (Index y = 0; y < classes; ++y)
        value += std::lgamma(prior(y, z)) - std::lgamma(shape(y, z));
    }
    for (Index i = 0; i < source.count(); ++i)
      value += std::log(source.p.row(i).dot(shape.colwise().sum()));
  }
  EXPECT_NEAR(bound.value, value / static_cast<double>(source.count()), 1e-9);
}

TEST(PactranGauss, PrefersFarClasses) {
  EXPECT_LT(pactran_gauss(test::samples_of(test::blobs(3, 30, 5, 0.3))).value,
            pactran_gauss(test::samples_of(test::blobs(3, 30, 5, 3.0))).value);
}

}  // namespace
}  // namespace assay
