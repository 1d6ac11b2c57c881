#include "core/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace assay {
namespace {

std::vector<Label> labels_of(std::vector<Index> counts) {
  std::vector<Label> out;
  for (std::size_t c = 0; c < counts.size(); ++c)
    out.insert(out.end(), static_cast<std::size_t>(counts[c]), static_cast<Label>(c));
  return out;
}

TEST(StratifiedSplit, HoldsOutAShareOfEveryClassAndLosesNoRow) {
  const std::vector<Label> labels = labels_of({40, 20, 5});
  const Split split = stratified_split(labels, 0.2, 3);
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
  EXPECT_TRUE(std::is_sorted(split.held_out.begin(), split.held_out.end()));
  std::vector<Index> held(3, 0);
  for (const Index row : split.held_out)
    ++held[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)])];
  EXPECT_EQ(held, (std::vector<Index>{8, 4, 1}));
  std::set<Index> all(split.train.begin(), split.train.end());
  all.insert(split.held_out.begin(), split.held_out.end());
  EXPECT_EQ(all.size(), 65U);
}

TEST(StratifiedSplit, IsSeededAndMayHoldOutNothing) {
  const std::vector<Label> labels = labels_of({30, 30});
  EXPECT_EQ(stratified_split(labels, 0.3, 1).held_out, stratified_split(labels, 0.3, 1).held_out);
  EXPECT_NE(stratified_split(labels, 0.3, 1).held_out, stratified_split(labels, 0.3, 2).held_out);
  EXPECT_TRUE(stratified_split(labels, 0.0, 1).held_out.empty());
}

}  // namespace
}  // namespace assay
