#include "rank/metric_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "data/read_samples.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Metric* named(const char* name) { return &find_metric(name); }

class MetricSelectionTest : public testing::Test {
 protected:
  test::Sample sample_ = test::blobs(3, 20, 5, 1.0);
  OpenModel model_{"m", rows_of_matrix(sample_.features, "m"), {}};
  RankRequest request_;
};

TEST_F(MetricSelectionTest, KeepsWhatJustFitsTheMemoryLimitAndDropsTheRest) {
  choose_metrics(request_, "logme,knn", "");
  request_.memory_limit = samples_memory(*model_.rows, sample_.targets.columns());
  MetricSelection fits(request_, sample_.targets);
  fits.drop_unusable_for(model_, request_, sample_.targets, 1);
  EXPECT_THAT(fits.all(), ElementsAre(named("logme"), named("knn")));
  --request_.memory_limit;
  MetricSelection tight(request_, sample_.targets);
  tight.drop_unusable_for(model_, request_, sample_.targets, 1);
  EXPECT_THAT(tight.all(), ElementsAre(named("logme")));
  ASSERT_EQ(tight.left_out().size(), 1U);
  EXPECT_THAT(tight.left_out()[0].reason, HasSubstr("of memory for m, the limit is"));
}

// A draw that only the largest model needs is that of all: scores stay comparable.
TEST_F(MetricSelectionTest, DrawsAsManyRowsOfEveryModelAsTheLargestAllows) {
  const test::Sample many = test::blobs(3, 1000, 8, 1.0);
  const OpenModel small{"s", rows_of_matrix(many.features, "s"), {}};
  const OpenModel large{"l", rows_of_matrix(test::gaussian(3000, 40, 1), "l"), {}};
  choose_metrics(request_, "linear_valid,logme", "");
  request_.memory_limit = samples_memory(*large.rows, 3) / 2;
  MetricSelection selection(request_, many.targets);
  selection.drop_unusable_for(small, request_, many.targets, 1);
  EXPECT_THAT(selection.draw_sizes(), IsEmpty());
  selection.drop_unusable_for(large, request_, many.targets, 1);
  ASSERT_TRUE(selection.draw_sizes().contains(named("linear_valid")));
  EXPECT_LT(selection.draw_sizes().at(named("linear_valid")), 1501);
  EXPECT_FALSE(selection.draw_sizes().contains(named("logme")));
}

TEST_F(MetricSelectionTest, AddsJudgesThatNobodyAskedToSee) {
  choose_metrics(request_, "linear", "");
  const MetricSelection selection(request_, sample_.targets);
  EXPECT_THAT(selection.all(), ElementsAre(named("linear"), named("linear_valid")));
  EXPECT_TRUE(selection.requested(named("linear")));
  EXPECT_FALSE(selection.requested(named("linear_valid")));
  RankResult result;
  result.metrics = selection.all();
  for (const Metric* one : selection.all()) {
    result.controls.push_back({});
    result.controls.back().scores = {{.metric = one}};
  }
  drop_helper_metrics(selection, result);
  EXPECT_THAT(result.metrics, ElementsAre(named("linear")));
  EXPECT_EQ(result.controls[0].scores.size(), 1U);
  EXPECT_THAT(result.controls[1].scores, IsEmpty());
}

TEST_F(MetricSelectionTest, SaysWhatATargetOrAModelLacks) {
  request_.memory_limit = Index{1} << 30;
  choose_metrics(request_, "leep,logme", "");
  MetricSelection selection(request_, sample_.targets);
  EXPECT_EQ(selection.wanted_scores({}), SourceScores::probabilities);
  selection.drop_unusable_for(model_, request_, sample_.targets, 1);
  EXPECT_THAT(selection.all(), ElementsAre(named("logme")));
  EXPECT_THAT(selection.left_out()[0].reason, testing::EndsWith("; m has none"));
  choose_metrics(request_, "leep", "");
  EXPECT_THAT(
      test::error_of([&] { MetricSelection(request_, test::value_targets(sample_.features)); }),
      HasSubstr("no metric is left to rank by:\n  leep: needs classes"));
}

}  // namespace
}  // namespace assay
