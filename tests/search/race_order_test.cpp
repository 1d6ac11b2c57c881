// Tests: search/race_order, search/first_tried.
#include "search/race_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "search/first_tried.h"
#include "support.h"

namespace assay {
namespace {

Targets uneven() {
  std::vector<Label> labels;
  for (int i = 0; i < 600; ++i) labels.push_back(i < 400 ? 0 : i < 550 ? 1 : 2);
  return test::class_targets(labels);
}

TEST(RaceOrder, HasEveryRowOnce) {
  const std::vector<Index> order = race_order(uneven(), 1);
  EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 600U);
  EXPECT_EQ(order.size(), 600U);
}

// Of any beginning every class has its share, to within one row.
TEST(RaceOrder, IsStratifiedFromTheStart) {
  const Targets targets = uneven();
  const std::vector<Index> order = race_order(targets, 2);
  std::vector<double> seen(3, 0.0);
  const std::vector<double> share = {400.0 / 600.0, 150.0 / 600.0, 50.0 / 600.0};
  for (std::size_t m = 1; m <= order.size(); ++m) {
    seen[static_cast<std::size_t>(targets.labels[static_cast<std::size_t>(order[m - 1])])] += 1.0;
    for (std::size_t c = 0; c < 3; ++c)
      ASSERT_LE(std::abs(seen[c] - share[c] * static_cast<double>(m)), 2.0) << m << ' ' << c;
  }
}

// Each row is as likely as any other to be among the first tenth.
TEST(RaceOrder, TreatsRowsAlike) {
  const Targets targets = uneven();
  std::vector<int> hits(600, 0);
  constexpr int kSeeds = 400;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::vector<Index> order = race_order(targets, static_cast<std::uint64_t>(seed));
    for (std::size_t k = 0; k < 60; ++k) ++hits[static_cast<std::size_t>(order[k])];
  }
  for (const int hit : hits) EXPECT_NEAR(hit, 40, 5 * std::sqrt(400 * 0.1 * 0.9));
}

TEST(RaceOrder, IsSeeded) {
  EXPECT_EQ(race_order(uneven(), 3), race_order(uneven(), 3));
  EXPECT_NE(race_order(uneven(), 3), race_order(uneven(), 4));
}

TEST(RaceLooks, DoubleUntilAllIsSeen) {
  const Targets targets = uneven();
  const std::vector<Index> looks = race_looks(targets, race_order(targets, 1), 1e9);
  EXPECT_EQ(looks, (std::vector<Index>{16, 32, 64, 128, 256, 512, 600}));
}

// Two of every class, unless that takes more than the budget has for each model.
TEST(RaceLooks, BeginWithTwoRowsOfEveryClass) {
  std::vector<Label> labels(1000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<Label>(i % 50);
  const Targets targets = test::class_targets(labels);
  const std::vector<Index> order = race_order(targets, 1);
  EXPECT_EQ(race_looks(targets, order, 250.0).front(), 100);
  EXPECT_EQ(race_looks(targets, order, 100.0).front(), 60);
}

TEST(RaceLooks, OfFewRowsAreOne) {
  const Targets targets = test::class_targets({0, 1, 0, 1, 0, 1});
  EXPECT_EQ(race_looks(targets, race_order(targets, 1), 1e9), std::vector<Index>{6});
}

// One row in two hundred is of the other class: a look without two of it tells nothing.
TEST(RaceLooks, WaitForASecondClass) {
  std::vector<Label> labels(1000, 0);
  for (std::size_t i = 0; i < 5; ++i) labels[200 * i] = 1;
  const Targets targets = test::class_targets(labels);
  const std::vector<Index> order = race_order(targets, 1);
  const std::vector<Index> looks = race_looks(targets, order, 1e9);
  Index rare = 0;
  for (Index k = 0; k < looks.front(); ++k)
    rare += targets.labels[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])];
  EXPECT_GE(rare, 2);
}

TEST(RaceLooks, RowsOfALookKeepThoseBefore) {
  const std::vector<Index> order = {7, 2, 9, 0, 5, 1};
  EXPECT_EQ(rows_of_look(order, {3}), (std::vector<Index>{2, 7, 9}));
  EXPECT_EQ(rows_of_look(order, {3, 6}), (std::vector<Index>{2, 7, 9, 0, 1, 5}));
}

TEST(FirstTried, FollowsThePriorThenCost) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EXPECT_EQ(tried_first(names, {4, 3, 2, 1}, {}), (std::vector<std::size_t>{3, 2, 1, 0}));
  EXPECT_EQ(tried_first(names, {4, 3, 2, 1}, {{"a", 0.1}, {"c", 0.9}}),
            (std::vector<std::size_t>{2, 0, 3, 1}));
}

TEST(FirstTried, RefusesAPriorThatIsNone) {
  const test::TemporaryDirectory directory;
  test::write_text(directory / "p.csv", "name,downloads\na,10\nb,many\n");
  EXPECT_NE(test::error_of([&] { read_prior_ranking(directory / "p.csv"); }).find("row 2"),
            std::string::npos);
  test::write_text(directory / "q.csv", "name,downloads\na,10\na,11\n");
  EXPECT_NE(test::error_of([&] { read_prior_ranking(directory / "q.csv"); }).find("twice"),
            std::string::npos);
  test::write_text(directory / "r.csv", "name,downloads\na,10\nb,11\n");
  EXPECT_EQ(read_prior_ranking(directory / "r.csv").at("b"), 11.0);
}

}  // namespace
}  // namespace assay
