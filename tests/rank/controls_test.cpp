// Tests: rank/rank_hub, rank/score_draws, rank/score_models, rank/open_model.
#include "rank/controls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "assay/rank.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A good model of 5 dimensions and a useless one of 9.
RankRequest request_for(const test::Sample& good) {
  RankRequest request;
  request.hub.targets = good.targets;
  request.hub.models = {
      {.name = "good", .features = {}, .rows = rows_of_matrix(good.features, "good")},
      {.name = "noisy",
       .features = {},
       .rows = rows_of_matrix(test::gaussian(good.features.rows(), 9, 4), "noisy")}};
  choose_metrics(request, "logme,knn", "");
  request.level = 0.0;
  request.controls = true;
  request.memory_limit = Index{1} << 30;
  return request;
}

TEST(Controls, AreNoiseOfTheLargestDimensionAndTheWinnerWithPermutedLabels) {
  const test::Sample good = test::blobs(3, 30, 5, 0.2);
  const RankResult result = rank_hub(test::pool(), request_for(good), {});
  ASSERT_EQ(result.controls.size(), 2U);
  EXPECT_EQ(result.controls[0].name, "noise");
  EXPECT_EQ(result.controls[0].dim, 9);
  EXPECT_EQ(result.controls[1].name, "good, labels permuted");
  EXPECT_EQ(result.controls[1].dim, 5);
  // Neither knows anything: a third of the samples by chance, where the winner has them all.
  EXPECT_GT(result.models[0].scores[1].score.value, 0.99);
  for (const ScoredModel& control : result.controls) {
    EXPECT_LT(control.scores[1].score.value, 0.6);
    EXPECT_LT(control.scores[0].score.value, result.models[0].scores[0].score.value - 0.2);
  }
}

TEST(Controls, OfDrawsAreMeansOverThem) {
  RankRequest request = request_for(test::blobs(3, 30, 5, 0.5));
  request.subsample = Subsample{.rows = 10, .per_class = true, .draws = 4};
  const RankResult result = rank_hub(test::pool(), request, {});
  ASSERT_EQ(result.controls.size(), 2U);
  for (const ScoredModel& control : result.controls) {
    for (const MetricScore& score : control.scores) {
      ASSERT_EQ(score.draws.size(), 4U) << control.name;
      const double mean = std::accumulate(score.draws.begin(), score.draws.end(), 0.0) / 4.0;
      EXPECT_NEAR(score.score.value, mean, 1e-12) << control.name;
    }
  }
}

TEST(Controls, WithoutRoomForNoiseSaySo) {
  RankRequest request = request_for(test::blobs(3, 30, 5, 0.5));
  const RankPlan plan = plan_ranking(request);
  RankResult result;
  result.models = {
      {.name = "wide", .samples = 90, .dim = Index{1} << 40, .scores = {}, .digests = {}}};
  add_noise_control(test::pool(), plan, result);
  EXPECT_TRUE(result.controls.empty());
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("the noise control was left out")));
}

}  // namespace
}  // namespace assay
