#include "rank/open_model.h"

#include <gtest/gtest.h>

#include "rank/score_model.h"
#include "support.h"

namespace assay {
namespace {

constexpr Index kRows = 60;
constexpr Index kSource = 5;

Matrix distributions() {
  Matrix p = test::gaussian(kRows, kSource, 2).array().exp();
  for (Index i = 0; i < kRows; ++i) p.row(i) /= p.row(i).sum();
  return p;
}

Model model_with(const Matrix& probabilities) {
  Model model;
  model.name = "a";
  model.rows = rows_of_matrix(test::gaussian(kRows, 3, 1), "a");
  model.probability_rows = rows_of_matrix(probabilities, "a:probs");
  return model;
}

TEST(OpenModel, ReadsProbabilitiesWithinTheLimitOnly) {
  const Matrix p = distributions();
  const Index needed = probabilities_memory(kRows, kSource);
  const OpenModel open = open_model(model_with(p), SourceScores::probabilities, needed);
  EXPECT_LT((*open.probabilities - p).cwiseAbs().maxCoeff(), 1e-15);
  const std::string message =
      test::error_of([&] { open_model(model_with(p), SourceScores::probabilities, needed - 1); });
  EXPECT_NE(message.find("a:probs: what needs source probabilities takes"), std::string::npos)
      << message;
  EXPECT_FALSE(open_model(model_with(p), SourceScores::unread, 1).probabilities.has_value());
}

// More rows than are read at a time, and rows beyond the first block are judged too.
TEST(OpenModel, ReadsProbabilitiesBlockByBlock) {
  constexpr Index rows = 2500;
  Matrix p = Matrix::Constant(rows, 2, 0.5);
  for (Index i = 0; i < rows; ++i) p(i, 0) = static_cast<double>(i) / rows, p(i, 1) = 1.0 - p(i, 0);
  EXPECT_EQ(read_probabilities(*rows_of_matrix(p, "probs")), p);
  p(2400, 1) = -0.5;
  const std::string message =
      test::error_of([&] { read_probabilities(*rows_of_matrix(p, "probs")); });
  EXPECT_NE(message.find("row 2400, column 1 is -0.5"), std::string::npos) << message;
}

// Folds that memory does not hold side by side take turns, to the same end.
TEST(ScoreModel, RefitsOfProbabilitiesAreTheSameInAnyMemory) {
  const Matrix p = distributions();
  const test::Sample sample = test::blobs(3, kRows / 3, 3, 1.0);
  const Rows rows = rows_of_matrix(sample.features, "a");
  ThreadPool pool(4);
  const Folds folds = stratified_folds(sample.targets, 6, 1);
  const auto replicates = [&](Index limit) {
    ScoreOptions options;
    options.memory_limit = limit;
    options.probabilities = &p;
    return score_model({pool, *rows, sample.targets, folds, options, {}}, {&find_metric("leep")})
        .front()
        .replicates;
  };
  const std::vector<double> together = replicates(Index{1} << 30);
  EXPECT_EQ(together.size(), 6U);
  EXPECT_EQ(together, replicates(probabilities_memory(kRows, kSource)));
}

}  // namespace
}  // namespace assay
