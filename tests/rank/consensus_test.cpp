// Tests: stats/joint_spread.
#include "rank/consensus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

using testing::ElementsAre;

std::vector<Candidate> column(const std::vector<double>& values, double spread) {
  std::vector<Candidate> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Candidate one{.name = std::string(1, static_cast<char>('a' + i)), .value = values[i]};
    // Units that move it by about `spread`, each model in its own rhythm.
    for (int unit = 0; spread > 0.0 && unit < 20; ++unit)
      one.contributions.push_back(spread * std::sin(1.7 * unit * static_cast<double>(i + 1)) / 3.0);
    out.push_back(std::move(one));
  }
  return out;
}

TEST(Consensus, IsTheMeanRankWithTiesSharingTheirs) {
  // a: 1, 2.5; b: 2, 1; c: 3, 2.5.
  EXPECT_THAT(mean_ranks({column({3, 2, 1}, 0), column({0.5, 0.9, 0.5}, 0)}),
              ElementsAre(1.75, 1.5, 2.75));
}

// Ranks 1 1 2 1 3 and 2 2 1 2 1: both 8 fifths, which fifths added up one by one are not.
TEST(Consensus, IsTheSameWhereRanksAddUpToTheSame) {
  const auto first = column({5, 4, 1, 2, 3}, 0);
  const std::vector<double> mean =
      mean_ranks({first, first, column({4, 5, 1, 2, 3}, 0), first, column({3, 5, 1, 2, 4}, 0)});
  EXPECT_EQ(mean[0], 1.6);
  EXPECT_EQ(mean[1], 1.6);
}

TEST(Consensus, OrdersByMeanRank) {
  const Ranking ranking =
      rank_by_consensus({column({3, 2, 1}, 0), column({0.5, 0.9, 0.5}, 0)}, 0.95);
  EXPECT_EQ(ranking.places[0].candidate, 1);
  EXPECT_EQ(ranking.places[1].candidate, 0);
  EXPECT_EQ(ranking.places[2].candidate, 2);
  EXPECT_EQ(ranking.level, 0.0);  // no metric has intervals
  EXPECT_FALSE(ranking.places[0].rank_low);
}

TEST(Consensus, SeparatesWhatResamplesKeepApart) {
  const auto clear = column({3, 2, 1}, 1e-4);
  const auto vague = column({3, 2, 1}, 3.0);
  const Ranking sure = rank_by_consensus({clear, clear, clear}, 0.95);
  EXPECT_EQ(sure.places[0].rank_high, 1);
  EXPECT_EQ(sure.places[0].separable_from, (std::vector<Index>{1, 2}));
  EXPECT_EQ(sure.places[2].tie_group, 3);
  const Ranking unsure = rank_by_consensus({vague, vague}, 0.95);
  EXPECT_GT(*unsure.places[0].rank_high, 1);
  EXPECT_EQ(unsure.places[2].tie_group, 1);
  EXPECT_TRUE(unsure.places[0].separable_from.empty());
  EXPECT_GT(unsure.places[1].times_the_labels.value_or(0.0), 1.0);
}

// Three metrics put a first, one b, and none of them wavers: so is the mean of their ranks.
TEST(Consensus, IsAsSureAsItsMetrics) {
  const auto up = column({3, 2}, 1e-4);
  const auto down = column({2, 3}, 1e-4);
  const Ranking three = rank_by_consensus({up, up, up, down}, 0.95);
  EXPECT_EQ(three.places[0].candidate, 0);
  EXPECT_EQ(three.places[0].separable_from, (std::vector<Index>{1}));
  const Ranking equal = rank_by_consensus({up, down}, 0.95);
  EXPECT_EQ(equal.places[1].tie_group, 1);
  EXPECT_FALSE(equal.places[1].times_the_labels.has_value());
}

}  // namespace
}  // namespace assay
