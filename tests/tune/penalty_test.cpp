// Tests: tune/bayesian_penalty, tune/distillation_penalty, tune/prior_penalty.
#include "tune/penalty.h"

#include <gtest/gtest.h>

#include <cmath>

#include "golden_json.h"
#include "learn/losses.h"

namespace assay {
namespace {

using nlohmann::json;
using test::columns_of;
using test::gaussian;
using test::golden_json;

std::vector<BatchRow> rows_in_turn(Index count) {
  std::vector<BatchRow> rows;
  for (Index i = 0; i < count; ++i) rows.push_back({i, 0});
  return rows;
}

// Central differences of the penalty, number by number.
Matrix numeric_gradient(const Penalty& penalty, const Matrix& features,
                        const std::vector<BatchRow>& batch, std::span<const float> own) {
  constexpr double step = 1e-5;
  Matrix out(features.rows(), features.cols());
  for (Index j = 0; j < features.cols(); ++j) {
    for (Index i = 0; i < features.rows(); ++i) {
      Matrix up = features;
      Matrix down = features;
      up(i, j) += step;
      down(i, j) -= step;
      out(i, j) =
          (penalty.at(up, batch, own).loss - penalty.at(down, batch, own).loss) / (2.0 * step);
    }
  }
  return out;
}

TEST(CrossEntropy, AgreesWithPyTorch) {
  const json expected = golden_json("tune/losses.json").at("cross_entropy");
  const auto labels = expected.at("labels").get<std::vector<Label>>();
  const LossGradient found = cross_entropy(columns_of(expected.at("logits"), 3), labels);
  EXPECT_NEAR(found.loss, expected.at("loss"), 1e-14);
  EXPECT_LT((found.gradient - columns_of(expected.at("gradient"), 3)).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(CrossEntropy, SurvivesLogitsFarApart) {
  const std::vector<Label> labels = {1};
  const LossGradient found = cross_entropy(Matrix{{1e4}, {-1e4}}, labels);
  EXPECT_DOUBLE_EQ(found.loss, 2e4);
  EXPECT_DOUBLE_EQ(found.gradient(0, 0), 1.0);
  EXPECT_DOUBLE_EQ(found.gradient(1, 0), -1.0);
}

// At 0: log 2 each, gradient (1/2 - y) / 2; far out nothing overflows: a right one costs nothing, a
// wrong one its distance.
TEST(BinaryCrossEntropy, IsThatOfTheSigmoid) {
  const LossGradient found = binary_cross_entropy(Matrix{{0.0}, {0.0}}, Matrix{{1.0}, {0.0}});
  EXPECT_NEAR(found.loss, std::log(2.0), 1e-15);
  EXPECT_EQ(found.gradient, (Matrix{{-0.25}, {0.25}}));
  const LossGradient far = binary_cross_entropy(Matrix{{1e4, 1e4}}, Matrix{{1.0, 0.0}});
  EXPECT_DOUBLE_EQ(far.loss, 5e3);
  EXPECT_TRUE(far.gradient.allFinite());
  const LossGradient one = binary_cross_entropy(Matrix{{1.5}}, Matrix{{1.0}});
  EXPECT_NEAR(one.loss, std::log1p(std::exp(-1.5)), 1e-15);
}

TEST(MeanSquaredError, IsTheMeanOverBatchAndOutputs) {
  // Residuals 1, 2, 0, -3: (1 + 4 + 0 + 9) / 4, gradient 2 r / 4.
  const LossGradient found = mean_squared_error(Matrix{{1, 0}, {2, -3}}, Matrix{{0, 0}, {0, 0}});
  EXPECT_DOUBLE_EQ(found.loss, 3.5);
  EXPECT_EQ(found.gradient, (Matrix{{0.5, 0.0}, {1.0, -1.5}}));
}

TEST(BayesianPenalty, IsEquation5ByHand) {
  // f = (1, 2) and (0, 1); m_1 = (1, 0), m_2 = (1, 1): predictions (1, 3) and (0, 1). The teachers
  // say (0.5, 2) and (0, 3): residuals 0.5, 1, 0, -2; sum of squares 5.25 over n C = 4.
  const Matrix m{{1, 1}, {0, 1}};
  TeacherTable teachers{Eigen::MatrixXf{{0.5F, 0.0F}, {2.0F, 3.0F}}, 1};
  const auto penalty = bayesian_penalty(m, teachers);
  const Matrix features{{1, 0}, {2, 1}};
  const PenaltyGradient found = penalty->at(features, rows_in_turn(2), {});
  EXPECT_DOUBLE_EQ(found.loss, 5.25 / 4.0);
  // dL/df = 2/4 sum_c r_c m_c: sample 1: 0.5 (0.5 (1,0) + 1 (1,1)) = (0.75, 0.5);
  // sample 2: 0.5 (-2) (1,1) = (-1, -1).
  EXPECT_EQ(found.features, (Matrix{{0.75, -1.0}, {0.5, -1.0}}));
  EXPECT_TRUE(found.own.empty());
}

// The same residuals with an intercept of (1, -1): 1.5, 0, 1, -3.
TEST(BayesianPenalty, AddsTheInterceptOfCentredData) {
  const Matrix m{{1, 1}, {0, 1}};
  const auto penalty =
      bayesian_penalty(m, {Eigen::MatrixXf{{0.5F, 0.0F}, {2.0F, 3.0F}}, 1}, Vector{{1.0, -1.0}});
  const PenaltyGradient found = penalty->at(Matrix{{1, 0}, {2, 1}}, rows_in_turn(2), {});
  EXPECT_DOUBLE_EQ(found.loss, (2.25 + 0.0 + 1.0 + 9.0) / 4.0);
}

TEST(BayesianPenalty, GradientIsThatOfTheLoss) {
  const auto penalty = bayesian_penalty(gaussian(6, 4, 1), {gaussian(4, 5, 2).cast<float>(), 1});
  const Matrix features = gaussian(6, 5, 3);
  const auto batch = rows_in_turn(5);
  const Matrix expected = numeric_gradient(*penalty, features, batch, {});
  EXPECT_LT((penalty->at(features, batch, {}).features - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(BayesianPenalty, ReadsTheRowAndViewOfTheBatch) {
  // Three samples of two views each; the teachers' numbers are 0 ... 5.
  Eigen::MatrixXf numbers(1, 6);
  numbers << 0, 1, 2, 3, 4, 5;
  const auto penalty = bayesian_penalty(Matrix{{1}}, {numbers, 2});
  const std::vector<BatchRow> batch = {{2, 1}, {0, 0}};
  const PenaltyGradient found = penalty->at(Matrix{{5.0, 3.0}}, batch, {});
  EXPECT_DOUBLE_EQ(found.loss, 9.0 / 2.0);  // (5 - 5)^2 and (3 - 0)^2
}

TEST(DistillationPenalty, AgreesWithPyTorch) {
  const json expected = golden_json("tune/losses.json").at("distill");
  const json& teachers = expected.at("teachers");
  constexpr double target_square = 2.5;
  const std::vector<TeacherTable> tables = {{columns_of(teachers.at(0), 2).cast<float>(), 1},
                                            {columns_of(teachers.at(1), 4).cast<float>(), 1}};
  const auto penalty = distillation_penalty(tables, target_square);
  // PyTorch lists W_k row by row, ours lie column by column, in units of the features' sizes.
  std::vector<float> own;
  std::vector<double> by_own;
  for (const std::size_t k : {0U, 1U}) {
    const double unit = std::sqrt(target_square / tables[k].mean_square);
    const Matrix map = unit * columns_of(expected.at("maps").at(k), 3).transpose();
    const Matrix gradient = columns_of(expected.at("by_maps").at(k), 3).transpose() / unit;
    for (const double value : map.reshaped()) own.push_back(static_cast<float>(value));
    for (const double value : gradient.reshaped()) by_own.push_back(value);
  }
  const PenaltyGradient found =
      penalty->at(columns_of(expected.at("features"), 3), rows_in_turn(5), own);
  EXPECT_NEAR(found.loss, expected.at("loss"), 1e-6);
  EXPECT_LT((found.features - columns_of(expected.at("by_features"), 3)).cwiseAbs().maxCoeff(),
            1e-6);
  ASSERT_EQ(found.own.size(), by_own.size());
  for (std::size_t i = 0; i < by_own.size(); ++i) EXPECT_NEAR(found.own[i], by_own[i], 1e-6);
}

// The curvature in V is at most 2 lambda whatever the features are like: no step of 0.1 diverges.
TEST(DistillationPenalty, StaysStableForFeaturesOfAnySize) {
  for (const double size : {1e-3, 1.0, 1e3}) {
    const auto penalty =
        distillation_penalty({{gaussian(3, 8, 1).cast<float>(), 1}}, 6.0 * size * size);
    const Matrix features = size * gaussian(6, 8, 2);
    Random random(1);
    std::vector<float> own = penalty->initial(6, random);
    const double first = penalty->at(features, rows_in_turn(8), own).loss;
    double last = first;
    for (int step = 0; step < 50; ++step) {
      const PenaltyGradient at = penalty->at(features, rows_in_turn(8), own);
      for (std::size_t i = 0; i < own.size(); ++i) own[i] -= 0.1F * at.own[i];
      last = at.loss;
    }
    EXPECT_LT(last, 0.9 * first) << size;
  }
}

TEST(DistillationPenalty, StartsWithSmallMaps) {
  const auto penalty = distillation_penalty({{Eigen::MatrixXf::Ones(7, 2), 1}}, 1.0);
  Random random(1);
  const std::vector<float> own = penalty->initial(300, random);
  ASSERT_EQ(own.size(), 2100U);
  double square = 0.0;
  for (const float value : own) square += value * value / 2100.0;
  EXPECT_NEAR(std::sqrt(square), 0.01, 0.0008);
}

TEST(PriorPenalty, AgreesWithPyTorch) {
  const json all = golden_json("tune/losses.json");
  const json& expected = all.at("prior");
  std::vector<WeightedTeacher> teachers;
  for (const std::size_t k : {0U, 1U}) {
    const Index dim = k == 0 ? 2 : 4;
    const Eigen::MatrixXf features =
        columns_of(all.at("distill").at("teachers").at(k), dim).cast<float>();
    const double weight = expected.at("weights").at(k);
    teachers.push_back({{features, 1}, weight});
  }
  std::vector<Index> rows = {0, 1, 2, 3, 4};
  EXPECT_NEAR(prior_temperature(teachers, rows), expected.at("median"), 1e-7);
  const auto penalty = prior_penalty(teachers, expected.at("temperature"));
  const PenaltyGradient found =
      penalty->at(columns_of(expected.at("features"), 3), rows_in_turn(5), {});
  EXPECT_NEAR(found.loss, expected.at("loss"), 1e-7);
  EXPECT_LT((found.features - columns_of(expected.at("gradient"), 3)).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(PriorPenalty, StaysFiniteWhereFeaturesAreZeroOrEqual) {
  const auto penalty = prior_penalty({{{gaussian(3, 4, 1).cast<float>(), 1}, 1.0}}, 0.5);
  for (const Matrix& features : {Matrix(Matrix::Zero(3, 4)), Matrix(Matrix::Ones(3, 4))}) {
    const PenaltyGradient found = penalty->at(features, rows_in_turn(4), {});
    EXPECT_TRUE(std::isfinite(found.loss));
    EXPECT_TRUE(found.features.allFinite());
  }
}

}  // namespace
}  // namespace assay
