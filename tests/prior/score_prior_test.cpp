#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/prior.h"
#include "prior/prior_report.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr Index kRows = 24;

PriorScoreRequest request_of(const test::Sample& sample) {
  PriorScoreRequest request;
  request.hub.models = {
      {.name = "m", .features = {}, .rows = rows_of_matrix(sample.features, "m")}};
  request.hub.targets = sample.targets;
  request.given_priors = {{{.name = "views:2", .views = 2}}};
  request.temperatures = {0.5};
  request.memory_limit = Index{1} << 30;
  return request;
}

// The cosine kernel, centred, entry by entry.
Matrix centred_cosines(const Matrix& features) {
  const Matrix unit = features.rowwise().normalized();
  const Index n = features.rows();
  const Matrix h = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  return h * (unit * unit.transpose()) * h;
}

// Theorem 3.6 with s = sigmoid(1 / T) for the two views of an image and 1/2 elsewhere.
TEST(ScorePrior, IsTheTheoremSummedOverAllPairs) {
  const test::Sample sample = test::blobs(3, kRows / 3, 5, 1.0);
  const PriorScoreResult result = score_prior(test::pool(), request_of(sample), {});
  const Matrix m = centred_cosines(sample.features);
  double expectation = 0.0;
  double variance = 0.0;
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kRows; ++j) {
      const double s = 1.0 / (1.0 + std::exp(i / 2 == j / 2 ? -1.0 / 0.5 : 0.0));
      expectation += m(i, j) * s;
      variance += m(i, j) * m(i, j) * s * (1.0 - s);
    }
  }
  ASSERT_EQ(result.scores.size(), 1U);
  EXPECT_NEAR(result.scores[0].moments.expectation, expectation, 1e-10);
  EXPECT_NEAR(result.scores[0].moments.variance, variance, 1e-10);
  EXPECT_NEAR(result.scores[0].expectation_per_pair(), expectation / (kRows * kRows), 1e-13);
  EXPECT_NEAR(result.scores[0].sd_per_pair(), std::sqrt(variance) / (kRows * kRows), 1e-13);
}

// Theorem 3.3: Tr(MG) of a labelling sums the kernel over pairs of one class.
TEST(ScorePrior, PlacesALabellingByTheTraceOverPairsOfOneClass) {
  const test::Sample sample = test::blobs(3, kRows / 3, 5, 1.0);
  const PriorScoreResult result = score_prior(test::pool(), request_of(sample), {});
  const Matrix m = centred_cosines(sample.features);
  double trace = 0.0;
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kRows; ++j)
      trace += sample.targets.labels[static_cast<std::size_t>(i)] ==
                       sample.targets.labels[static_cast<std::size_t>(j)]
                   ? m(i, j)
                   : 0.0;
  }
  ASSERT_EQ(result.alignments.size(), 1U);
  EXPECT_NEAR(result.alignments[0].trace, trace, 1e-9);
}

TEST(ScorePrior, LeavesOutModelsOfOtherRows) {
  PriorScoreRequest request = request_of(test::blobs(3, kRows / 3, 5, 1.0));
  request.hub.models.push_back(
      {.name = "short", .features = {}, .rows = rows_of_matrix(test::gaussian(8, 3, 1), "short")});
  const PriorScoreResult result = score_prior(test::pool(), request, {});
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_THAT(result.failed[0].error, HasSubstr("8 rows"));
  request.given_priors = {{{.name = "views:7", .views = 7}}};
  EXPECT_THAT(test::error_of([&] { score_prior(test::pool(), request, {}); }),
              HasSubstr("no whole number of 7 views"));
}

TEST(PriorReport, HoldsTheMomentsOfEveryModelBestFirst) {
  PriorScoreResult result;
  PriorScore low{"p", "low", 0.5, {.expectation = 2.0, .variance = 9.0}, 10, 4};
  PriorScore high{"p", "high", 0.5, {.expectation = 8.0, .variance = 4.0}, 10, 4};
  result.scores = {low, high};
  result.alignments = {{"low", 5.0, 0.25}};
  result.failed = {{"broken", "why"}};
  const nlohmann::ordered_json shown = prior_score_json(result, {});
  ASSERT_EQ(shown["models"].size(), 2U);
  EXPECT_EQ(shown["models"][0]["name"], "high");
  EXPECT_EQ(shown["models"][0]["variance"], 4.0);
  EXPECT_EQ(shown["models"][0]["sd_per_pair"], 0.02);
  EXPECT_EQ(shown["models"][1]["label_trace"], 5.0);
  EXPECT_FALSE(shown["models"][0].contains("label_trace"));
  EXPECT_EQ(shown["failed"][0]["name"], "broken");
  const std::string table = prior_score_table(result, 0);
  EXPECT_LT(table.find("high"), table.find("low"));
  EXPECT_THAT(table, HasSubstr("The labels given (Theorem 3.3)"));
}

}  // namespace
}  // namespace assay
