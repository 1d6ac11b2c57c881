#include "curve/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;

// Grids of public code, rounded up; where it overshoots the last size by one, ours does not.
TEST(LogSizes, AgreeWithPublicGridsButForTheEnd) {
  const auto all = nlohmann::json::parse(std::ifstream(test::golden("curve/measures.json")));
  for (const auto& [name, grid] : all["sizes"].items()) {
    auto expected = grid.get<std::vector<Index>>();
    const Index last = std::stoll(name.substr(4));
    expected.back() = last;
    EXPECT_EQ(log_sizes(10, last, static_cast<Index>(expected.size())), expected) << name;
  }
}

TEST(LogSizes, AreDistinctAndWithinTheData) {
  EXPECT_THAT(log_sizes(10, 13, 20), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(log_sizes(10, 10, 20), ElementsAre(10));
  EXPECT_THAT(log_sizes(10, 4, 20), ElementsAre(4));
  EXPECT_THAT(log_sizes(10, 1000, 1), ElementsAre(1000));
  EXPECT_THAT(log_sizes(10, 1000, 3), ElementsAre(10, 100, 1000));
}

// 60 rows of class 0, 30 of class 1, 10 of class 2.
Targets uneven() {
  std::vector<Label> labels;
  for (Index i = 0; i < 100; ++i) labels.push_back(i % 10 < 6 ? 0 : i % 10 < 9 ? 1 : 2);
  return test::class_targets(labels);
}

std::vector<Index> counts(const Targets& targets, std::span<const Index> rows) {
  std::vector<Index> out(3, 0);
  for (const Index row : rows) ++out[targets.labels[static_cast<std::size_t>(row)]];
  return out;
}

TEST(ValidationSplit, IsStratifiedSeededAndCoversEveryRow) {
  const Targets targets = uneven();
  const Split split = validation_split(targets, 0.2, 3);
  EXPECT_THAT(counts(targets, split.held_out), ElementsAre(12, 6, 2));
  std::vector<Index> all = split.train;
  all.insert(all.end(), split.held_out.begin(), split.held_out.end());
  std::ranges::sort(all);
  std::vector<Index> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
  EXPECT_EQ(split.held_out, validation_split(targets, 0.2, 3).held_out);
  EXPECT_NE(split.held_out, validation_split(targets, 0.2, 4).held_out);
  EXPECT_NE(split.held_out.front(), 80);  // not the last rows
}

TEST(ValidationSplit, LeavesARowToEitherPart) {
  const Split split = validation_split(test::value_targets(Matrix::Ones(2, 1)), 0.01, 0);
  EXPECT_EQ(split.train.size(), 1U);
  EXPECT_EQ(split.held_out.size(), 1U);
}

TEST(TrainingOrder, StartsAreStratifiedAtEveryLength) {
  const Targets targets = uneven();
  std::vector<Index> rows(100);
  std::iota(rows.begin(), rows.end(), 0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Index> order = training_order(targets, rows, seed);
    ASSERT_TRUE(std::ranges::is_permutation(order, rows));
    for (std::size_t n = 1; n <= 100; ++n) {
      const std::vector<Index> got = counts(targets, std::span(order).first(n));
      const auto share = static_cast<double>(n) / 100.0;
      // Each class is within one of its share of the way, and the way within a row per class.
      EXPECT_NEAR(static_cast<double>(got[0]), 60 * share, 2.5);
      EXPECT_NEAR(static_cast<double>(got[1]), 30 * share, 2.5);
      EXPECT_NEAR(static_cast<double>(got[2]), 10 * share, 1.5);
    }
  }
}

TEST(TrainingOrder, HasEveryClassOnceFirstWhenClassesAreEqual) {
  std::vector<Label> labels;
  for (Index i = 0; i < 200; ++i) labels.push_back(static_cast<Label>(i / 20));
  const Targets targets = test::class_targets(labels);
  std::vector<Index> rows(200);
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<Index> order = training_order(targets, rows, 5);
  std::vector<Label> first;
  for (std::size_t i = 0; i < 10; ++i) first.push_back(labels[static_cast<std::size_t>(order[i])]);
  std::ranges::sort(first);
  EXPECT_THAT(first, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_NE(order, training_order(targets, rows, 6));
}

TEST(TrainingOrder, OfValuesIsAPermutation) {
  const std::vector<Index> rows = {3, 5, 8, 9};
  std::vector<Index> order = training_order(test::value_targets(Matrix::Ones(10, 1)), rows, 1);
  std::ranges::sort(order);
  EXPECT_EQ(order, rows);
}

}  // namespace
}  // namespace assay
