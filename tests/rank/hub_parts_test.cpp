// Tests: rank/hub_parts.
#include <gtest/gtest.h>

#include "rank/hub_settings.h"

namespace assay {
namespace {

RankResult hub_of(const std::vector<std::vector<double>>& parts) {
  RankResult result;
  result.metrics = {&find_metric("ncti")};
  for (const std::vector<double>& one : parts) {
    MetricScore score{.metric = result.metrics[0]};
    score.score.variants = one;
    result.models.push_back(
        {std::string(1, static_cast<char>('a' + result.models.size())), 10, 2, {score}, {}});
  }
  return result;
}

// The first part runs from -4 to 0, the second from 10 to 30, the third is the same for all.
TEST(SumHubParts, BringsEveryPartToTheModelsRange) {
  RankResult result = hub_of({{-4, 10, 0.5}, {-3, 30, 0.5}, {0, 15, 0.5}});
  sum_hub_parts(result);
  EXPECT_NEAR(result.models[0].scores[0].score.value, 0.0, 1e-15);
  EXPECT_NEAR(result.models[1].scores[0].score.value, 0.25 + 1.0, 1e-15);
  EXPECT_NEAR(result.models[2].scores[0].score.value, 1.0 + 0.25, 1e-15);
}

TEST(SumHubParts, OfOneModelIsZero) {
  RankResult result = hub_of({{-4, 10, 0.5}});
  sum_hub_parts(result);
  EXPECT_EQ(result.models[0].scores[0].score.value, 0.0);
}

// Replicates and controls are measured by the range of the models as they are.
TEST(SumHubParts, KeepsTheRangeForReplicatesAndControls) {
  RankResult result = hub_of({{0, 0, 0}, {1, 2, 4}});
  MetricScore& score = result.models[1].scores[0];
  score.replicates = {0};
  score.fold_variants = {{2, 1, 4}};
  ScoredModel control = result.models[0];
  control.scores[0].score.variants = {-1, 0, 2};
  sum_hub_parts(result);
  sum_hub_parts_of(result, control);
  EXPECT_NEAR(score.replicates[0], 2.0 + 0.5 + 1.0, 1e-15);
  EXPECT_NEAR(control.scores[0].score.value, -1.0 + 0.0 + 0.5, 1e-15);
}

// Every draw has a range of its own: ranks within a draw are what counts.
TEST(SumHubParts, ComparesWithinADraw) {
  RankResult result = hub_of({{0, 0, 0}, {1, 1, 1}});
  result.draws = 2;
  result.models[0].scores[0].draws = {0, 0};
  result.models[0].scores[0].draw_variants = {{0, 0, 0}, {9, 9, 0}};
  result.models[1].scores[0].draws = {0, 0};
  result.models[1].scores[0].draw_variants = {{1, 1, 1}, {7, 7, 0}};
  sum_hub_parts(result);
  EXPECT_EQ(result.models[0].scores[0].draws, (std::vector<double>{0.0, 2.0}));
  EXPECT_EQ(result.models[1].scores[0].draws, (std::vector<double>{3.0, 0.0}));
}

}  // namespace
}  // namespace assay
