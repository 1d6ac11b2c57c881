#include "rank/fitted_here.h"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "support.h"

namespace assay {
namespace {

bool fitted(const Matrix& features) { return fitted_here(*rows_of_matrix(features, "features")); }

// Orthonormal columns of different length, as U S of an SVD.
Matrix decomposed(Index rows, Index cols) {
  const Matrix q =
      test::gaussian(rows, cols, 7).householderQr().householderQ() * Matrix::Identity(rows, cols);
  return q * Vector::LinSpaced(cols, 5.0, 0.5).asDiagonal();
}

TEST(FittedHere, KnowsADecompositionOfTheseRows) {
  EXPECT_TRUE(fitted(decomposed(200, 40)));
  EXPECT_TRUE(fitted(decomposed(200, 40).cast<Eigen::half>().cast<double>()));
  EXPECT_TRUE(fitted(1e30 * decomposed(60, 20)));
  Matrix about_mean = decomposed(200, 40);  // PCA, moved: orthogonal about the means
  about_mean.rowwise() -= about_mean.colwise().mean().eval();
  const Matrix q = about_mean.householderQr().householderQ() * Matrix::Identity(200, 40);
  EXPECT_TRUE(fitted(q.array() + 3.0));
}

// Fitted to more rows, these among them.
TEST(FittedHere, KnowsADecompositionOfTheseAndOtherRows) {
  EXPECT_TRUE(fitted(decomposed(400, 40).topRows(200)));
}

// Whitened by the covariance of other rows.
TEST(FittedHere, DoesNotMindADecompositionOfOtherRows) {
  const Matrix r = test::gaussian(200, 40, 1).householderQr().matrixQR().topRows(40);
  const Matrix rows =
      r.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(test::gaussian(200, 40, 2));
  EXPECT_FALSE(fitted(rows));
}

// Independent numbers are flagged once in a million at most.
TEST(FittedHere, DoesNotMindNoise) {
  for (const Index dim : {2, 3, 5, 40, 300}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed)
      EXPECT_FALSE(fitted(test::gaussian(100, dim, 1000 * static_cast<std::uint64_t>(dim) + seed)));
  }
}

TEST(FittedHere, DoesNotMindCodesConstantsAndFewRows) {
  Matrix codes = Matrix::Zero(90, 6);
  for (Index i = 0; i < 90; ++i) codes(i, i % 6) = 1.0;
  EXPECT_FALSE(fitted(codes));
  EXPECT_FALSE(fitted(Matrix::Ones(50, 8)));
  EXPECT_FALSE(fitted(Matrix::Zero(50, 8)));
  EXPECT_FALSE(fitted(test::gaussian(2, 8, 1)));
  EXPECT_FALSE(fitted(test::gaussian(50, 1, 1)));
}

TEST(FittedHere, MarksTheEvidenceAlone) {
  std::vector<MetricScore> scores = {{.metric = &find_metric("ridge_loo")},
                                     {.metric = &find_metric("logme")}};
  mark_fitted_here(*rows_of_matrix(decomposed(200, 40), "f"), scores);
  EXPECT_TRUE(scores[0].score.flags.empty());
  EXPECT_EQ(scores[1].score.flags, std::vector<std::string>{"fitted_here"});
}

// Evidence and leave-one-out accuracies of models a and svd, the second one marked.
RankResult marked_hub(double evidence, double ridge, double knn) {
  RankResult result;
  result.metrics = {&find_metric("logme"), &find_metric("ridge_loo"), &find_metric("knn")};
  const auto add = [&](const char* name, const std::vector<double>& values) {
    std::vector<MetricScore> scores;
    for (std::size_t m = 0; m < values.size(); ++m) {
      scores.push_back({.metric = result.metrics[m]});
      scores.back().score.value = values[m];
    }
    result.models.push_back({name, 10, 2, std::move(scores), {}});
  };
  add("a", {-0.5, 0.8, 0.8});
  add("svd", {evidence, ridge, knn});
  result.models[1].scores[0].score.flags = {"fitted_here"};
  return result;
}

TEST(FittedHere, IsKeptWhereEveryLeaveOneOutAccuracyDisagrees) {
  RankResult result = marked_hub(-0.2, 0.7, 0.7);
  judge_fitted_here(result);
  EXPECT_EQ(result.models[1].scores[0].score.flags, std::vector<std::string>{"fitted_here"});
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("svd: its features"), std::string::npos);
  EXPECT_NE(result.notes[0].find("place 1, what leaves rows out at ridge_loo 2, knn 2"),
            std::string::npos);
}

TEST(FittedHere, GoesWhereOneOfThemAgrees) {
  for (RankResult result : {marked_hub(-0.2, 0.9, 0.7), marked_hub(-0.7, 0.7, 0.7)}) {
    judge_fitted_here(result);
    EXPECT_TRUE(result.models[1].scores[0].score.flags.empty());
    EXPECT_TRUE(result.notes.empty());
  }
}

}  // namespace
}  // namespace assay
