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
    Candidate one{std::string(1, static_cast<char>('a' + i)), values[i], {}, {}};
    // Replicates that wobble by `spread`, each model in its own rhythm.
    for (int fold = 0; spread > 0.0 && fold < 20; ++fold)
      one.replicates.push_back(values[i] +
                               spread * std::sin(1.7 * fold * static_cast<double>(i + 1)));
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

TEST(Consensus, SeparatesWhatMostMetricsSeparate) {
  const auto clear = column({3, 2, 1}, 1e-4);
  const auto vague = column({3, 2, 1}, 1.0);
  const Ranking sure = rank_by_consensus({clear, clear, vague}, 0.95);
  EXPECT_EQ(sure.places[0].rank_high, 1);
  EXPECT_EQ(sure.places[2].tie_group, 3);
  const Ranking unsure = rank_by_consensus({clear, vague, vague}, 0.95);
  EXPECT_EQ(unsure.places[0].rank_high, 3);
  EXPECT_EQ(unsure.places[2].tie_group, 1);
}

TEST(Consensus, DoesNotSeparateWhereMetricsContradictEachOther) {
  const auto up = column({3, 2}, 1e-4);
  const auto down = column({2, 3}, 1e-4);
  const Ranking ranking = rank_by_consensus({up, up, up, down}, 0.95);
  EXPECT_EQ(ranking.places[0].candidate, 0);
  EXPECT_EQ(ranking.places[1].tie_group, 1);
  EXPECT_EQ(ranking.places[1].rank_low, 1);
}

}  // namespace
}  // namespace assay
