#include "rank/hub_settings.h"

#include <gtest/gtest.h>

#include "rank/score_model.h"

namespace assay {
namespace {

// linear: lower is better, three settings, the third is usual; judged by an error.
std::size_t setting_of(const std::vector<std::vector<double>>& variants,
                       const std::vector<double>& judged) {
  return best_setting(find_metric("linear"), variants, find_metric("linear_valid"), judged);
}

TEST(Settle, TakesTheSettingThatOrdersModelsLikeTheJudge) {
  EXPECT_EQ(setting_of({{1, 3, 2}, {2, 2, 3}, {3, 1, 1}}, {0.1, 0.2, 0.3}), 0U);
  EXPECT_EQ(setting_of({{1, 3, 2}, {2, 2, 3}, {3, 1, 1}}, {0.3, 0.2, 0.1}), 1U);
}

TEST(Settle, StaysWithTheUsualSettingWhenTheHubCannotDecide) {
  EXPECT_EQ(setting_of({{1, 1, 1}, {2, 2, 2}}, {0.1, 0.2}), 2U);  // all agree
  EXPECT_EQ(setting_of({{1, 2, 3}}, {0.1}), 2U);                  // one model
  EXPECT_EQ(setting_of({{1, 2, 3}, {3, 2, 1}}, {0.1, 0.1}), 2U);  // a judge without an opinion
}

TEST(Settle, AppliesToScoreAndReplicates) {
  MetricScore score{.metric = &find_metric("linear")};
  score.score.variants = {1, 2, 3};
  score.replicates = {0, 0};
  score.fold_variants = {{4, 5, 6}, {7, 8, 9}};
  apply_settings(score, {1});
  EXPECT_EQ(score.score.value, 2.0);
  EXPECT_EQ(score.replicates, (std::vector<double>{5.0, 8.0}));
}

TEST(Settle, GivesEveryDrawItsOwnSetting) {
  MetricScore score{.metric = &find_metric("linear")};
  score.score.variants = {1, 2, 3};
  score.draws = {0, 0};
  score.draw_variants = {{1, 2, 3}, {4, 5, 6}};
  apply_settings(score, {2, 0});
  EXPECT_EQ(score.draws, (std::vector<double>{3.0, 4.0}));
}

}  // namespace
}  // namespace assay
