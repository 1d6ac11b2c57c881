// Tests: metrics/nce, metrics/nleep, metrics/probabilities.
#include "metrics/leep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fixture.h"

namespace assay {
namespace {

const std::vector<Label> kLabels = {0, 1, 2, 0, 1, 2, 0, 0, 1, 0, 2, 1};

double entropy(const std::vector<double>& shares) {
  double sum = 0.0;
  for (const double share : shares) sum -= share > 0.0 ? share * std::log(share) : 0.0;
  return sum;
}

Matrix one_hot(const std::vector<Label>& decisions, Index sources) {
  Matrix p = Matrix::Zero(static_cast<Index>(decisions.size()), sources);
  for (Index i = 0; i < p.rows(); ++i) p(i, decisions[static_cast<std::size_t>(i)]) = 1.0;
  return p;
}

// Equations 1 and 2 of Nguyen et al., one sample, class and source class at a time.
double direct_leep(const Matrix& p, const std::vector<Label>& labels) {
  const auto n = static_cast<double>(p.rows());
  const auto joint = [&](Label y, Index z) {
    double sum = 0.0;
    for (Index i = 0; i < p.rows(); ++i)
      sum += labels[static_cast<std::size_t>(i)] == y ? p(i, z) / n : 0.0;
    return sum;
  };
  double total = 0.0;
  for (Index i = 0; i < p.rows(); ++i) {
    double likelihood = 0.0;
    for (Index z = 0; z < p.cols(); ++z)
      likelihood += joint(labels[static_cast<std::size_t>(i)], z) / p.col(z).mean() * p(i, z);
    total += std::log(likelihood);
  }
  return total / n;
}

TEST(Leep, EqualsTheDefinition) {
  for (const Index sources : {1, 2, 7}) {
    const Matrix p = test::source_probabilities(kLabels, sources, 3);
    EXPECT_NEAR(leep(make_probabilities(p, kLabels)).value, direct_leep(p, kLabels), 1e-14);
  }
}

TEST(Leep, IsZeroWhenTheSourceDecidesAsTheLabels) {
  EXPECT_NEAR(leep(make_probabilities(one_hot(kLabels, 3), kLabels)).value, 0.0, 1e-15);
}

TEST(Leep, IsMinusTheEntropyOfTheLabelsWhenTheSourceSaysNothing) {
  const double expected = -entropy({5.0 / 12, 4.0 / 12, 3.0 / 12});
  EXPECT_NEAR(leep(make_probabilities(Matrix::Constant(12, 4, 0.25), kLabels)).value, expected,
              1e-14);
  EXPECT_NEAR(nce(make_probabilities(Matrix::Constant(12, 4, 0.25), kLabels)).value, expected,
              1e-14);
}

TEST(Leep, LiesBetweenMinusTheEntropyAndZero) {
  const double floor = -entropy({5.0 / 12, 4.0 / 12, 3.0 / 12});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const double value =
        leep(make_probabilities(test::source_probabilities(kLabels, 5, seed), kLabels)).value;
    EXPECT_GE(value, floor - 1e-14);
    EXPECT_LE(value, 0.0);
  }
}

// With p(y | z) from decisions alone, LEEP is -H(Y | Z).
TEST(Leep, OfDecisionsEqualsNce) {
  const Matrix p = one_hot({0, 0, 1, 2, 1, 1, 0, 2, 3, 0, 1, 1}, 4);
  EXPECT_NEAR(leep(make_probabilities(p, kLabels)).value, nce(make_probabilities(p, kLabels)).value,
              1e-14);
}

// z = 0: classes 0 0 1, z = 1: classes 1 2. H(Y | Z) = 3/5 H(1/3, 2/3) + 2/5 log 2.
TEST(Nce, IsAsByHand) {
  const Matrix p{{0.9, 0.1}, {0.6, 0.4}, {0.7, 0.3}, {0.2, 0.8}, {0.4, 0.6}};
  const double expected = -0.6 * entropy({1.0 / 3, 2.0 / 3}) - 0.4 * std::log(2.0);
  EXPECT_NEAR(nce(make_probabilities(p, {0, 0, 1, 1, 2})).value, expected, 1e-14);
}

TEST(Leep, IgnoresTheOrderOfSourceClassesAndThoseWithoutMass) {
  const Matrix p = test::source_probabilities(kLabels, 5, 8);
  Matrix changed = Matrix::Zero(12, 7);
  changed.middleCols(1, 5) = p.rowwise().reverse();
  const Probabilities plain = make_probabilities(p, kLabels);
  const Probabilities other = make_probabilities(changed, kLabels);
  EXPECT_EQ(other.p.cols(), 5);
  EXPECT_NEAR(leep(other).value, leep(plain).value, 1e-14);
  EXPECT_NEAR(nce(other).value, nce(plain).value, 1e-14);
}

Matrix soft_labels(Index rows, Index classes, std::uint64_t seed) {
  Matrix soft = test::gaussian(rows, classes, seed).array().exp();
  for (Index i = 0; i < rows; ++i) soft.row(i) /= soft.row(i).sum();
  return soft;
}

TEST(Leep, OfSoftLabelsIsTheExpectationOverLabelsDrawnFromThem) {
  const Matrix p = test::source_probabilities(kLabels, 5, 3);
  const Matrix soft = soft_labels(12, 3, 4);
  double expected = 0.0;
  for (Index i = 0; i < 12; ++i) {
    for (Index y = 0; y < 3; ++y) {
      double likelihood = 0.0;
      for (Index z = 0; z < 5; ++z) {
        double joint = 0.0;
        for (Index k = 0; k < 12; ++k) joint += p(k, z) * soft(k, y);
        likelihood += joint / p.col(z).sum() * p(i, z);
      }
      expected += soft(i, y) * std::log(likelihood) / 12.0;
    }
  }
  EXPECT_NEAR(leep(make_soft_probabilities(p, soft)).value, expected, 1e-13);
}

TEST(Leep, OfCertainSoftLabelsIsThatOfClasses) {
  const Matrix p = test::source_probabilities(kLabels, 5, 3);
  Matrix soft = Matrix::Zero(12, 4);  // the last class has no share
  soft.leftCols(3) = one_hot(kLabels, 3);
  EXPECT_NEAR(leep(make_soft_probabilities(p, soft)).value, direct_leep(p, kLabels), 1e-13);
}

TEST(Probabilities, LeaveOutClassesWithoutSamples) {
  std::vector<Label> gaps = kLabels;
  for (Label& label : gaps) label = 3 * label + 2;
  const Probabilities source = make_probabilities(Matrix::Constant(12, 2, 0.5), gaps);
  EXPECT_EQ(source.labels, kLabels);
  EXPECT_EQ(source.shares, Vector({{5.0 / 12, 4.0 / 12, 3.0 / 12}}));
  EXPECT_EQ(class_masses(source), (Matrix{{2.5, 2.5}, {2.0, 2.0}, {1.5, 1.5}}));
}

// Every sample its own class and its own source class: nothing is left to say.
TEST(Leep, OfClassesOfOneIsFinite) {
  const std::vector<Label> labels{0, 1, 2, 3};
  EXPECT_NEAR(leep(make_probabilities(Matrix::Identity(4, 4), labels)).value, 0.0, 1e-15);
  const Matrix faint{{1.0, 1e-300}, {1e-300, 1.0}, {1.0, 0.0}, {0.0, 1.0}};
  EXPECT_NEAR(leep(make_probabilities(faint, labels)).value, -std::log(2.0), 1e-14);
}

double detail(const Score& score, const std::string& name) {
  for (const auto& [key, value] : score.details) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no detail " << name;
  return 0.0;
}

TEST(Nleep, IsLeepOfTheLikeliestMixture) {
  const Samples samples = test::samples_of(test::blobs(4, 30, 6, 1.5), 7);
  const Score score = nleep(samples);
  std::vector<double> values;
  for (const Matrix& posteriors : samples.mixture_posteriors())
    values.push_back(leep(make_probabilities(posteriors, samples.labels())).value);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(score.value, values.front());
  const Eigen::Map<const Vector> all(values.data(), 3);
  EXPECT_NEAR(detail(score, "spread"), std::sqrt((all.array() - all.mean()).square().sum() / 2.0),
              1e-12);
  EXPECT_TRUE(score.flags.empty());
}

TEST(Nleep, FindsFarClassesWithoutTheirLabels) {
  EXPECT_GT(nleep(test::samples_of(test::blobs(3, 40, 10, 0.05))).value, -1e-9);
}

TEST(Nleep, DependsOnTheSeedAlone) {
  const test::Sample s = test::blobs(4, 30, 6, 3.0);
  EXPECT_EQ(nleep(test::samples_of(s, 3)).value, nleep(test::samples_of(s, 3)).value);
}

TEST(Nleep, SaysWhenRowsAreFew) {
  const auto few = [](const test::Sample& s) {
    const Score score = nleep(test::samples_of(s));
    EXPECT_TRUE(std::isfinite(score.value));
    return score.flags == std::vector<std::string>{"few_rows"};
  };
  EXPECT_TRUE(few(test::blobs(5, 2, 4, 1.0)));
  EXPECT_FALSE(few(test::blobs(5, 3, 4, 1.0)));
}

}  // namespace
}  // namespace assay
