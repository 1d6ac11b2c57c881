#include "data/draw_evenly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace assay {
namespace {

std::vector<Label> labels_of_sizes(const std::vector<Index>& sizes) {
  std::vector<Label> labels;
  for (std::size_t c = 0; c < sizes.size(); ++c)
    labels.insert(labels.end(), static_cast<std::size_t>(sizes[c]), static_cast<Label>(c));
  return labels;
}

Index count_of(Label label, const std::vector<Label>& labels, const std::vector<Index>& rows) {
  return std::ranges::count_if(
      rows, [&](Index row) { return labels[static_cast<std::size_t>(row)] == label; });
}

TEST(DrawEvenly, GivesDisjointDrawsInProportion) {
  const std::vector<Label> labels = labels_of_sizes({1000, 503, 7});
  const std::vector<std::vector<Index>> draws = draw_evenly(labels, 1510, 151, 2, 3);
  ASSERT_EQ(draws.size(), 2U);
  std::set<Index> seen;
  for (const std::vector<Index>& rows : draws) {
    EXPECT_EQ(rows.size(), 151U);
    EXPECT_TRUE(std::ranges::is_sorted(rows));
    seen.insert(rows.begin(), rows.end());
    EXPECT_NEAR(static_cast<double>(count_of(0, labels, rows)), 100.0, 1.0);
    EXPECT_NEAR(static_cast<double>(count_of(1, labels, rows)), 50.3, 1.0);
    EXPECT_NEAR(static_cast<double>(count_of(2, labels, rows)), 0.7, 1.0);
  }
  EXPECT_EQ(seen.size(), 302U);
  EXPECT_EQ(draw_evenly(labels, 1510, 151, 2, 3), draws);
  EXPECT_NE(draw_evenly(labels, 1510, 151, 2, 4), draws);
}

TEST(DrawEvenly, GivesAllThereIsAndNeedsNoClasses) {
  EXPECT_EQ(draw_evenly({}, 6, 100, 1, 0).front(), (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(draw_evenly({}, 7, 100, 2, 0)[1].size(), 3U);
}

// Each row is as likely as any other, whatever the size of its class.
TEST(DrawEvenly, EveryRowIsAsLikely) {
  const std::vector<Label> labels = labels_of_sizes({30, 9, 1});
  std::vector<double> drawn(40, 0.0);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::vector<std::vector<Index>> draws = draw_evenly(labels, 40, 10, 1, seed);
    for (const Index row : draws.front()) drawn[static_cast<std::size_t>(row)] += 1.0 / 2000.0;
  }
  for (const double share : drawn) EXPECT_NEAR(share, 0.25, 0.055);
}

}  // namespace
}  // namespace assay
