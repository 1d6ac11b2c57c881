#include "data/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support.h"

namespace assay {
namespace {

TEST(StratifiedFolds, DifferByAtMostOneSampleInAllAndInEachClass) {
  std::vector<Label> labels;
  for (Label c = 0; c < 7; ++c)
    labels.insert(labels.end(), static_cast<std::size_t>(13 + 5 * c), c);
  const Folds folds = stratified_folds(test::class_targets(labels), 20, 3);
  std::vector<Index> total(20, 0);
  std::map<Label, std::vector<Index>> by_class;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    by_class.try_emplace(labels[i], 20, 0);
    ++by_class[labels[i]][static_cast<std::size_t>(folds.of_row[i])];
    ++total[static_cast<std::size_t>(folds.of_row[i])];
  }
  const auto spread = [](const std::vector<Index>& v) {
    return std::ranges::max(v) - std::ranges::min(v);
  };
  EXPECT_LE(spread(total), 1);
  for (const auto& [label, counts] : by_class) EXPECT_LE(spread(counts), 1) << label;
}

TEST(StratifiedFolds, DependOnTheSeedAlone) {
  const test::Sample s = test::blobs(3, 20, 2, 1.0);
  EXPECT_EQ(stratified_folds(s.targets, 20, 5).of_row, stratified_folds(s.targets, 20, 5).of_row);
  EXPECT_NE(stratified_folds(s.targets, 20, 5).of_row, stratified_folds(s.targets, 20, 6).of_row);
}

TEST(StratifiedFolds, AreNotMoreThanSamples) {
  EXPECT_EQ(stratified_folds(test::class_targets({0, 1, 0}), 20, 0).count, 3);
  EXPECT_EQ(stratified_folds(test::class_targets({0}), 20, 0).count, 0);
  EXPECT_EQ(grouped_folds(std::vector<Label>{0, 0, 0}, 20, 0).count, 0);
}

TEST(GroupedFolds, NeverSplitAGroupAndStayBalanced) {
  std::vector<Label> groups;
  for (Label g = 0; g < 40; ++g)
    groups.insert(groups.end(), static_cast<std::size_t>(1 + g % 6), g);
  const Folds folds = grouped_folds(groups, 8, 1);
  std::map<Label, std::set<Index>> used;
  std::vector<Index> load(8, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    used[groups[i]].insert(folds.of_row[i]);
    ++load[static_cast<std::size_t>(folds.of_row[i])];
  }
  for (const auto& [group, where] : used) EXPECT_EQ(where.size(), 1U) << group;
  EXPECT_LE(std::ranges::max(load) - std::ranges::min(load), 6);
}

}  // namespace
}  // namespace assay
