#include "predict/class_probabilities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace assay {
namespace {

Matrix probabilities(const Matrix& mean, const Matrix& variance) {
  ThreadPool pool(2);
  return class_probabilities(pool, {mean, variance});
}

TEST(ClassProbabilities, TwoClassesHaveAClosedForm) {
  Matrix mean(4, 2);
  mean << 0.9, 0.1, 0.5, 0.5, -2.0, 3.0, 0.2, 0.3;
  Matrix variance(4, 2);
  variance << 0.04, 0.09, 0.2, 1e-4, 1.0, 0.5, 0.01, 0.01;
  const Matrix found = probabilities(mean, variance);
  for (Index i = 0; i < 4; ++i) {
    const double z = (mean(i, 0) - mean(i, 1)) / std::sqrt(variance(i, 0) + variance(i, 1));
    EXPECT_NEAR(found(i, 0), 0.5 * std::erfc(-z / std::sqrt(2.0)), 1e-9) << i;
    EXPECT_NEAR(found.row(i).sum(), 1.0, 1e-12);
  }
}

TEST(ClassProbabilities, ShareOfDrawsOfManyClasses) {
  constexpr Index classes = 5;
  constexpr int draws = 400000;
  Matrix mean(1, classes);
  mean << 0.4, 0.1, 0.3, -0.2, 0.35;
  Matrix variance(1, classes);
  variance << 0.02, 0.3, 0.001, 0.1, 0.05;
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  Vector wins = Vector::Zero(classes);
  for (int d = 0; d < draws; ++d) {
    Index best = 0;
    double most = -1e9;
    for (Index c = 0; c < classes; ++c) {
      const double drawn = mean(0, c) + std::sqrt(variance(0, c)) * normal(engine);
      if (drawn > most) {
        most = drawn;
        best = c;
      }
    }
    wins(best) += 1.0 / draws;
  }
  const Matrix found = probabilities(mean, variance);
  for (Index c = 0; c < classes; ++c) {
    const double error = std::sqrt(wins(c) * (1.0 - wins(c)) / draws);
    EXPECT_NEAR(found(0, c), wins(c), 5.0 * error) << c;
  }
}

TEST(ClassProbabilities, WithoutSpreadTheLargestShare) {
  Matrix mean(2, 3);
  mean << 1.0, 3.0, 3.0, 5.0, 2.0, 1.0;
  const Matrix found = probabilities(mean, Matrix::Zero(2, 3));
  EXPECT_EQ(found(0, 0), 0.0);
  EXPECT_EQ(found(0, 1), 0.5);
  EXPECT_EQ(found(1, 0), 1.0);
}

TEST(ClassProbabilities, FarApartIsStillARowThatSumsToOne) {
  Matrix mean(1, 3);
  mean << -1e6, 0.0, 1e6;
  Matrix variance(1, 3);
  variance << 1.0, 1e-12, 4.0;
  const Matrix found = probabilities(mean, variance);
  EXPECT_NEAR(found(0, 2), 1.0, 1e-12);
  EXPECT_TRUE(found.allFinite());
}

}  // namespace
}  // namespace assay
