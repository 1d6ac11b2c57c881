// Tests: metrics/soft_neighbours.
#include "metrics/knn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fixture.h"

namespace assay {
namespace {

struct Near {
  double distance;
  Index row;
};

// All other rows sorted by cosine distance, votes and summed distances of the first k by class.
std::vector<double> brute_force(const Matrix& features, const std::vector<Label>& labels, Index k) {
  std::vector<double> right;
  for (Index i = 0; i < features.rows(); ++i) {
    std::vector<Near> others;
    for (Index j = 0; j < features.rows(); ++j) {
      const double norms = features.row(i).norm() * features.row(j).norm();
      const double cosine = norms > 0.0 ? features.row(i).dot(features.row(j)) / norms : 0.0;
      if (j != i) others.push_back({1.0 - cosine, j});
    }
    std::stable_sort(others.begin(), others.end(),
                     [](const Near& a, const Near& b) { return a.distance < b.distance; });
    others.resize(std::min(others.size(), static_cast<std::size_t>(k)));
    std::map<Label, std::pair<Index, double>> votes;  // minus the votes, summed distance
    for (const Near& other : others) {
      auto& mine = votes[labels[static_cast<std::size_t>(other.row)]];
      --mine.first;
      mine.second += other.distance;
    }
    const auto winner =
        std::min_element(votes.begin(), votes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    right.push_back(winner->first == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0);
  }
  return right;
}

bool flagged(const Score& score) { return score.flags == std::vector<std::string>{"too_few"}; }

TEST(Knn, EqualsTheBruteForce) {
  for (const Index dim : {3, 400}) {
    const test::Sample s = test::blobs(4, 75, dim, 3.0);  // several tiles
    const Samples samples = test::samples_of(s);
    for (const Index k : {1, 2, 4, 5, 20})
      EXPECT_EQ(knn_outcomes(samples, k), brute_force(s.features, s.targets.labels, k)) << k;
    const Score score = knn(samples);
    EXPECT_EQ(score.per_sample, brute_force(s.features, s.targets.labels, 5));
    EXPECT_TRUE(score.flags.empty());
    EXPECT_GT(score.value, 0.25);
  }
}

// Seen from (1, 0): class 0 has the nearest (cosine 0.96) and the farthest (0), distances 1.04 in
// all; class 1 has 0.8 and 0.6 -> 0.6 in all. Two votes each.
TEST(Knn, SettlesEqualVotesByTheSmallestSummedDistance) {
  const Matrix features{{1.0, 0.0}, {24.0, 7.0}, {0.0, 1.0}, {4.0, 3.0}, {3.0, 4.0}};
  EXPECT_EQ(knn_outcomes(test::samples_of(features, {1, 0, 0, 1, 1}), 4)[0], 1.0);
  EXPECT_EQ(knn_outcomes(test::samples_of(features, {0, 0, 0, 1, 1}), 4)[0], 0.0);
}

TEST(Knn, MoreVotesWinOverNearerOnes) {
  const Matrix features{{1.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}, {0.0, 1.0}};
  EXPECT_EQ(knn_outcomes(test::samples_of(features, {1, 0, 1, 1}), 3)[0], 1.0);
}

TEST(Knn, IgnoresTheScaleOfEachSampleAndRotations) {
  const test::Sample s = test::blobs(3, 30, 6, 2.0);
  const std::vector<double> plain = knn(test::samples_of(s)).per_sample;
  Matrix scaled = s.features;
  for (Index i = 0; i < scaled.rows(); ++i)
    scaled.row(i) *= std::ldexp(1.0, static_cast<int>(i * 20 - 900));
  EXPECT_EQ(knn(test::samples_of(scaled, s.targets.labels)).per_sample, plain);
  EXPECT_EQ(knn(test::samples_of(1e-310 * s.features, s.targets.labels)).per_sample.size(), 90U);
  const Matrix turned = s.features.rowwise().reverse();
  EXPECT_EQ(knn(test::samples_of(turned, s.targets.labels)).per_sample, plain);
}

// A row of zeros is at distance 1 from all: nearer than what points away, farther than the rest.
TEST(Knn, PutsZerosAtDistanceOne) {
  const Matrix features{{1.0, 0.0}, {0.0, 0.0}, {-1.0, 0.0}, {0.6, 0.8}};
  const std::vector<Label> labels{0, 0, 1, 1};
  EXPECT_EQ(knn_outcomes(test::samples_of(features, labels), 1),
            (std::vector<double>{0.0, 1.0, 0.0, 0.0}));
  EXPECT_EQ(knn_outcomes(test::samples_of(features, labels), 1), brute_force(features, labels, 1));
  const Score zeros = knn(test::samples_of(Matrix::Zero(8, 3), {0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(zeros.value, 7.0 / 8.0);  // by the majority
}

TEST(Knn, FindsTheCopiesOfASample) {
  const Matrix distinct = test::gaussian(10, 4, 3);
  Matrix features(60, 4);
  std::vector<Label> labels;
  for (Index i = 0; i < 60; ++i) {
    features.row(i) = distinct.row(i % 10);
    labels.push_back(static_cast<Label>(i % 10));
  }
  EXPECT_EQ(knn(test::samples_of(features, labels)).value, 1.0);
}

// Directions that differ by less than float can tell, but not by less than double can.
TEST(Knn, TellsNeighboursApartThatFloatCannot) {
  Matrix features(40, 3);
  std::vector<Label> labels;
  for (Index i = 0; i < 40; ++i) {
    const auto step = static_cast<double>((i * 17) % 40);
    const double angle = 1e-5 * step * step;  // no two at one distance
    features.row(i) << std::cos(angle), std::sin(angle), 0.0;
    labels.push_back(static_cast<Label>((i * 17) % 40 / 4));
  }
  for (const Index k : {1, 3}) {
    EXPECT_EQ(knn_outcomes(test::samples_of(features, labels), k),
              brute_force(features, labels, k));
  }
}

// Many candidates within float's error: whole tiles are multiplied in double then.
TEST(Knn, SettlesCollapsedFeatures) {
  Matrix features = Matrix::Ones(500, 8) + 1e-5 * test::gaussian(500, 8, 2);
  features.topRows(200) = test::gaussian(200, 8, 4);
  std::vector<Label> labels;
  for (Index i = 0; i < 500; ++i) labels.push_back(static_cast<Label>(i % 7));
  EXPECT_EQ(knn(test::samples_of(features, labels)).per_sample, brute_force(features, labels, 5));
}

TEST(Knn, IsTheSameForFloatsWhereverTheyLie) {
  const test::Sample s = test::blobs(4, 75, 30, 3.0);
  const Eigen::MatrixXf floats = s.features.transpose().cast<float>();
  const FloatView view(floats.data(), floats.rows(), floats.cols());
  const Samples borrowed(test::pool(), FloatFeatures(view), s.targets.labels, 0);
  const Matrix rounded = floats.transpose().cast<double>();
  EXPECT_EQ(knn(borrowed).per_sample, brute_force(rounded, s.targets.labels, 5));
}

TEST(Knn, SaysWhenThereAreNotFiveNeighbours) {
  const Matrix features = test::gaussian(6, 3, 1);
  const std::vector<Label> labels{0, 0, 0, 1, 1, 1};
  EXPECT_FALSE(flagged(knn(test::samples_of(features, labels))));
  const std::vector<Label> five(labels.begin(), labels.end() - 1);
  const Score score = knn(test::samples_of(features.topRows(5), five));
  EXPECT_TRUE(flagged(score));
  EXPECT_EQ(score.per_sample, brute_force(features.topRows(5), five, 4));
  const Score two = knn(test::samples_of(features.topRows(2), {0, 1}));
  EXPECT_TRUE(flagged(two));
  EXPECT_EQ(two.value, 0.0);  // each has the other only
}

}  // namespace
}  // namespace assay
