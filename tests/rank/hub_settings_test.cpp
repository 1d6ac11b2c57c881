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
  apply_setting(score, 1);
  EXPECT_EQ(score.score.value, 2.0);
  EXPECT_EQ(score.replicates, (std::vector<double>{5.0, 8.0}));
}

TEST(Settle, GivesEveryDrawTheSameSetting) {
  MetricScore score{.metric = &find_metric("linear")};
  score.score.variants = {1, 2, 3};
  score.draws = {0, 0};
  score.draw_variants = {{1, 2, 3}, {4, 5, 6}};
  apply_setting(score, 2);
  EXPECT_EQ(score.draws, (std::vector<double>{3.0, 6.0}));
}

// By the means over draws: the first draw alone would take setting 0, the second setting 1.
TEST(Settle, ChoosesByTheMeansOverDraws) {
  RankResult result;
  result.metrics = {&find_metric("linear"), &find_metric("linear_valid")};
  const std::vector<std::vector<std::vector<double>>> variants = {
      {{1, 3, 2}, {9, 1, 2}}, {{2, 2, 3}, {6, 3, 3}}, {{3, 1, 1}, {2, 5, 1}}};
  const std::vector<std::vector<double>> judged = {{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    MetricScore score{.metric = result.metrics[0]};
    score.score.variants = variants[i][0];
    score.draw_variants = variants[i];
    score.draws = {0, 0};
    MetricScore opinion{.metric = result.metrics[1]};
    opinion.draws = judged[i];
    result.models.push_back(
        {std::string(1, static_cast<char>('a' + i)), 10, 2, {score, opinion}, {}});
  }
  result.draws = 2;
  choose_hub_settings(result);
  // Means: setting 0 falls (5, 4, 2.5), 1 rises (2, 2.5, 3) as the judge does, 2 is 2, 3, 1.
  EXPECT_EQ(result.settings.at(result.metrics[0]), 1U);
  EXPECT_EQ(result.models[2].scores[0].draws, (std::vector<double>{1.0, 5.0}));
}

}  // namespace
}  // namespace assay
