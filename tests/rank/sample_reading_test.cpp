// How metrics get at samples that do not fit, and what they then say.
// Tests: rank/score_beyond_memory, rank/row_spread, data/read_chosen.
#include "rank/sample_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/read_samples.h"
#include "rank/score_model.h"
#include "scoring.h"

namespace assay {
namespace {

using testing::Contains;

class SampleReading : public testing::Test {
 protected:
  SampleMemory memory(const char* metric, Index limit) const {
    return sample_memory(find_metric(metric), *rows_, sample_.targets, 2, limit);
  }

  Index whole() const { return samples_memory(*rows_, sample_.targets.columns()); }

  MetricScore score(const char* metric, const ScoreOptions& options) const {
    const std::vector<const Metric*> one = {&find_metric(metric)};
    return score_model({test::pool(), *rows_, sample_.targets, folds_, options, {}}, one).at(0);
  }

  test::Sample sample_ = test::blobs(4, 3000, 24, 2.0);
  Rows rows_ = rows_of_matrix(sample_.features, "f");
  Folds folds_ = stratified_folds(sample_.targets, 20, 1);
};

TEST_F(SampleReading, IsWholeWhileItFitsThenInBlocksOrDraws) {
  EXPECT_EQ(memory("knn", whole()).reading, Reading::whole);
  for (const char* metric : {"knn", "ridge_loo", "ncc_loo", "transrate"}) {
    const SampleMemory less = memory(metric, whole() - 1);
    EXPECT_EQ(less.reading, Reading::streamed) << metric;
    EXPECT_TRUE(less.fits) << metric;
    EXPECT_LT(less.least, whole()) << metric;
    EXPECT_FALSE(memory(metric, less.least - 1).fits) << metric;
    EXPECT_TRUE(memory(metric, less.least).fits) << metric;
  }
  const SampleMemory drawn = memory("linear", whole() / 2);
  EXPECT_EQ(drawn.reading, Reading::drawn);
  EXPECT_GT(drawn.drawn, kLeastDrawn);
  EXPECT_LE(kSampleDraws * drawn.drawn, rows_->rows());
  EXPECT_FALSE(memory("linear", drawn.least - 1).fits);
  EXPECT_TRUE(memory("linear", drawn.least).fits);
}

// Results do not depend on the limit where a metric streams.
TEST_F(SampleReading, InBlocksGivesTheSameScoreAndInterval) {
  for (const char* metric : {"ridge_loo", "ncc_loo", "knn"}) {
    const MetricScore held = score(metric, {.memory_limit = test::kPlenty});
    const MetricScore far = score(metric, {.memory_limit = whole() - 1});
    EXPECT_EQ(held.score.value, far.score.value) << metric;
    EXPECT_EQ(held.contributions, far.contributions) << metric;
  }
}

TEST_F(SampleReading, OfDrawsSaysSoWithItsSpread) {
  const DrawSizes sizes = {{&find_metric("linear_valid"), 1500}, {&find_metric("laplace"), 500}};
  ScoreOptions options{.memory_limit = whole() - 1};
  options.draw_sizes = &sizes;
  const MetricScore full = score("linear_valid", {.memory_limit = test::kPlenty});
  const MetricScore drawn = score("linear_valid", options);
  EXPECT_THAT(drawn.score.flags, Contains("drawn_rows"));
  EXPECT_THAT(drawn.score.details, Contains(testing::Pair("drawn_rows", 1500.0)));
  const auto sd =
      std::ranges::find(drawn.score.details, "sd_of_draws", &std::pair<std::string, double>::first);
  ASSERT_NE(sd, drawn.score.details.end());
  const double p = full.score.value;
  EXPECT_NEAR(drawn.score.value, p, 5.0 * std::sqrt(p * (1.0 - p) / 3000.0) + 0.01);
  EXPECT_LT(sd->second, 5.0 * std::sqrt(2.0 * p * (1.0 - p) / 1500.0));
  // What 3,000 rows add is known: the interval is theirs.
  ASSERT_EQ(drawn.contributions.size(), 12000U);
  EXPECT_EQ(std::ranges::count_if(drawn.contributions, [](double v) { return v != 0.0; }), 3000);
  const MetricScore laplace = score("laplace", options);
  EXPECT_TRUE(laplace.contributions.empty());
  EXPECT_TRUE(laplace.replicates.empty());
  EXPECT_THAT(laplace.score.flags, Contains("drawn_rows"));
}

TEST_F(SampleReading, ABadValueInADrawIsNamed) {
  Matrix bad = sample_.features;
  bad.col(3).setConstant(std::nan(""));
  rows_ = rows_of_matrix(bad, "bad");
  const DrawSizes sizes = {{&find_metric("linear_valid"), 1500}};
  ScoreOptions options{.memory_limit = whole() - 1};
  options.draw_sizes = &sizes;
  EXPECT_THAT(test::error_of([&] { score("linear_valid", options); }),
              testing::HasSubstr("column 3"));
}

}  // namespace
}  // namespace assay
