#include "metrics/held_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fixture.h"
#include "metrics/knn.h"
#include "metrics/ncc_loo.h"
#include "metrics/ridge_loo.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_softmax(const Vector& scores, Label own, double b) {
  double mass = 0.0;
  for (const double score : scores) mass += std::exp(b * (score - scores[own]));
  return -std::log(mass);
}

double sum_known(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += std::isnan(value) ? 0.0 : value;
  return sum;
}

// The best b of a fine grid, by trying all.
double best_sum(const Matrix& scores, const std::vector<Label>& labels) {
  double best = -kInfinity;
  for (double b = 1e-4; b < 1e4; b *= 1.0005) {
    double sum = 0.0;
    for (Index i = 0; i < scores.cols(); ++i)
      sum += log_softmax(scores.col(i), labels[static_cast<std::size_t>(i)], b);
    best = std::max(best, sum);
  }
  return best;
}

// Classes x per_class samples with a little to learn.
test::Sample few(Index per_class, Index dim, std::uint64_t seed = 3) {
  return test::blobs(5, per_class, dim, 1.0, seed);
}

TEST(SoftmaxLogLikelihood, IsTheBestOfAllTemperatures) {
  const test::Sample sample = few(4, 5);
  Matrix leading = sample.features.transpose();  // not always, but mostly, for the own class
  for (Index i = 0; i < leading.cols(); ++i)
    leading(sample.targets.labels[static_cast<std::size_t>(i)], i) += 2.0;
  const double best = best_sum(leading, sample.targets.labels);
  EXPECT_GT(best, -20.0 * std::log(5.0));
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const std::vector<double> found =
        softmax_log_likelihood(scale * leading, sample.targets.labels);
    EXPECT_GE(sum_known(found), best - 1e-9);
    EXPECT_NEAR(sum_known(found), best, 1e-5);
  }
}

TEST(SoftmaxLogLikelihood, IsOneWhereTheOwnClassAlwaysLeads) {
  const Matrix scores = Matrix::Identity(3, 3);
  for (const double value : softmax_log_likelihood(scores, {0, 1, 2}))
    EXPECT_NEAR(value, 0.0, 1e-12);
}

TEST(SoftmaxLogLikelihood, IsThatOfAGuessWhereScoresMislead) {
  const Matrix scores = -Matrix::Identity(4, 4);
  for (const double value : softmax_log_likelihood(scores, {0, 1, 2, 3}))
    EXPECT_NEAR(value, -std::log(4.0), 1e-12);
}

TEST(SoftmaxLogLikelihood, LeavesOutSamplesWhoseClassIsGoneWithoutThem) {
  Matrix scores(2, 3);
  scores << 1.0, 0.5, -kInfinity, 0.0, 1.0, 2.0;
  const std::vector<double> found = softmax_log_likelihood(scores, {0, 1, 0});
  EXPECT_TRUE(std::isfinite(found[0]));
  EXPECT_TRUE(std::isfinite(found[1]));
  EXPECT_TRUE(std::isnan(found[2]));
}

TEST(HeldOut, IsGivenBelowFiveLabelsPerClassOnly) {
  for (const Index per_class : {2, 4, 5}) {
    const test::Sample sample = few(per_class, 6);
    const std::size_t expected = per_class < 5 ? sample.targets.labels.size() : 0;
    const Samples samples = test::samples_of(sample);
    EXPECT_EQ(ridge_loo(samples).held_out.size(), expected);
    EXPECT_EQ(ncc_loo(samples).held_out.size(), expected);
    EXPECT_EQ(knn(samples).held_out.size(), expected);
  }
}

Matrix standardized(Matrix x) {  // n x D
  x.rowwise() -= x.colwise().mean().eval();
  for (Index j = 0; j < x.cols(); ++j)
    x.col(j) /= x.col(j).norm() / std::sqrt(static_cast<double>(x.rows()));
  return x;
}

std::vector<Index> others_than(Index sample, Index count) {
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i)
    if (i != sample) out.push_back(i);
  return out;
}

TEST(HeldOut, OfRidgeIsThatOfRefitsWithoutEachSample) {
  for (const Index dim : {4, 40}) {  // both sides of n
    const test::Sample sample = few(3, dim);
    const Score score = ridge_loo(test::samples_of(sample));
    const Matrix z = standardized(sample.features);
    const Index n = z.rows();
    Matrix x = Matrix::Ones(n, dim + 1);
    x.leftCols(dim) = z;
    Matrix y = Matrix::Zero(n, 5);
    for (Index i = 0; i < n; ++i) y(i, sample.targets.labels[static_cast<std::size_t>(i)]) = 1.0;
    Matrix predicted(5, n);
    for (Index i = 0; i < n; ++i) {
      const std::vector<Index> kept = others_than(i, n);
      const Matrix part = x(kept, Eigen::all);
      Matrix a = part.transpose() * part;
      a.diagonal().head(dim).array() += score.details[0].second * static_cast<double>(n);
      predicted.col(i) =
          (x.row(i) * a.ldlt().solve(part.transpose() * y(kept, Eigen::all))).transpose();
    }
    const std::vector<double> expected = softmax_log_likelihood(predicted, sample.targets.labels);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(score.held_out[i], expected[i], 1e-7) << i;
  }
}

TEST(HeldOut, OfNearestMeansTakesTheirOwnNoiseOff) {
  test::Sample sample = few(3, 12);
  sample.targets.labels[0] = 1;  // classes of two, three and four
  const std::vector<Label>& labels = sample.targets.labels;
  const Matrix z = standardized(sample.features);
  const Index n = z.rows();
  Matrix scores(5, n);
  for (Index i = 0; i < n; ++i) {
    const std::vector<Index> kept = others_than(i, n);
    Matrix means = Matrix::Zero(5, z.cols());
    Vector counts = Vector::Zero(5);
    for (const Index k : kept) {
      means.row(labels[static_cast<std::size_t>(k)]) += z.row(k);
      counts[labels[static_cast<std::size_t>(k)]] += 1.0;
    }
    for (Index c = 0; c < 5; ++c) means.row(c) /= counts[c];
    double scatter = 0.0;
    for (const Index k : kept)
      scatter += (z.row(k) - means.row(labels[static_cast<std::size_t>(k)])).squaredNorm();
    const double variance = scatter / static_cast<double>(kept.size() - 5);
    for (Index c = 0; c < 5; ++c)
      scores(c, i) = variance / counts[c] - (z.row(i) - means.row(c)).squaredNorm();
  }
  const std::vector<double> expected = softmax_log_likelihood(scores, labels);
  const Score score = ncc_loo(test::samples_of(sample));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(score.held_out[i], expected[i], 1e-9) << i;
}

TEST(HeldOut, OfAClassOfOneIsLeftOut) {
  test::Sample sample = few(2, 6);
  sample.targets.labels[0] = 5;
  const Samples samples = test::samples_of(sample);
  EXPECT_TRUE(std::isnan(ncc_loo(samples).held_out[0]));
  EXPECT_TRUE(std::isnan(knn(samples).held_out[0]));
  EXPECT_TRUE(std::isfinite(ridge_loo(samples).held_out[0]));
}

TEST(HeldOut, OfNeighboursIsTheirWeightedShareAtTheBestTemperature) {
  const test::Sample sample = few(3, 6);
  const std::vector<Label>& labels = sample.targets.labels;
  Matrix unit = sample.features;
  for (Index i = 0; i < unit.rows(); ++i) unit.row(i).normalize();
  const auto likelihoods = [&](double b) {
    std::vector<double> out;
    for (Index i = 0; i < unit.rows(); ++i) {
      double own = 0.0;
      double all = 0.0;
      for (const Index j : others_than(i, unit.rows())) {
        const double weight = std::exp(b * unit.row(i).dot(unit.row(j)));
        all += weight;
        if (labels[static_cast<std::size_t>(i)] == labels[static_cast<std::size_t>(j)])
          own += weight;
      }
      out.push_back(std::log(own / all));
    }
    return out;
  };
  std::vector<double> expected = likelihoods(std::exp2(-4.0));
  for (double step = -3.5; step <= 9.0; step += 0.5) {
    const std::vector<double> next = likelihoods(std::exp2(step));
    if (sum_known(next) > sum_known(expected)) expected = next;
  }
  const Score score = knn(test::samples_of(sample));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(score.held_out[i], expected[i], 1e-9) << i;
}

TEST(HeldOut, OfNeighboursHoldsForCopiesAndZeros) {
  test::Sample sample = few(2, 6);
  sample.features.row(1) = sample.features.row(0);
  sample.features.row(2).setZero();
  for (const double value : knn(test::samples_of(sample)).held_out) {
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_LE(value, 0.0);
  }
}

}  // namespace
}  // namespace assay
