#include "data/subsample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/subset.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

Targets classes_of_sizes(const std::vector<Index>& sizes) {
  std::vector<Label> labels;
  for (std::size_t c = 0; c < sizes.size(); ++c)
    labels.insert(labels.end(), static_cast<std::size_t>(sizes[c]), static_cast<Label>(c));
  return test::class_targets(labels);
}

std::vector<Index> counts(const Targets& targets, const std::vector<Index>& rows) {
  std::vector<Index> out(targets.names.size(), 0);
  for (const Index row : rows)
    ++out[static_cast<std::size_t>(targets.labels[static_cast<std::size_t>(row)])];
  return out;
}

TEST(Subsample, ReadsBothForms) {
  const Subsample each = parse_subsample("5/class:10");
  EXPECT_TRUE(each.per_class);
  EXPECT_EQ(each.rows, 5);
  EXPECT_EQ(each.draws, 10);
  const Subsample all = parse_subsample("200:3");
  EXPECT_FALSE(all.per_class);
  EXPECT_EQ(all.rows, 200);
  EXPECT_EQ(all.draws, 3);
  EXPECT_EQ(parse_subsample("200").draws, 1);
  for (const char* bad : {"", ":", "x", "-3:2", "5:-1", "5/class:99999999"}) {
    EXPECT_THAT(test::error_of([&] { parse_subsample(bad); }), HasSubstr("5/class:10")) << bad;
  }
}

TEST(Subsample, TakesAsManyOfEachClassAndAllOfASmallOne) {
  const Targets targets = classes_of_sizes({40, 30, 3, 50});
  const auto draws = draw_rows({6, true, 3}, targets, 1);
  ASSERT_EQ(draws.size(), 3U);
  for (const std::vector<Index>& rows : draws) {
    EXPECT_EQ(counts(targets, rows), (std::vector<Index>{6, 6, 3, 6}));
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), rows.size());
  }
  EXPECT_NE(draws[0], draws[1]);
  EXPECT_EQ(draws, draw_rows({6, true, 3}, targets, 1));
  EXPECT_EQ(draws[0], draw_rows({6, true, 1}, targets, 1)[0]);
}

TEST(Subsample, HasAtLeastTwentyRows) {  // the PACTran paper's floor
  const Targets targets = classes_of_sizes({40, 40, 40});
  EXPECT_EQ(draw_rows({2, true, 1}, targets, 1)[0].size(), 21U);  // 7 of each class
  EXPECT_EQ(draw_rows({5, false, 1}, targets, 1)[0].size(), 20U);
}

TEST(Subsample, InAllIsInProportion) {
  const Targets targets = classes_of_sizes({50, 30, 20});
  EXPECT_EQ(counts(targets, draw_rows({40, false, 1}, targets, 1)[0]),
            (std::vector<Index>{20, 12, 8}));
  EXPECT_EQ(draw_rows({1000, false, 1}, targets, 1)[0].size(), 100U);
}

TEST(Subsample, OfValuesNeedsNoClasses) {
  const Targets targets = test::value_targets(test::gaussian(60, 1, 1));
  EXPECT_EQ(draw_rows({25, false, 1}, targets, 1)[0].size(), 25U);
  EXPECT_THAT(test::error_of([&] { draw_rows({5, true, 1}, targets, 1); }), HasSubstr("classes"));
}

TEST(Subsample, SubsetsHoldTheRowsDrawn) {
  const Matrix features = test::gaussian(30, 4, 2);
  const Rows subset = rows_of_subset(*rows_of_matrix(features, "a"), {3, 7, 20});
  EXPECT_EQ(test::matrix_of(*subset), Matrix(features(std::vector<Index>{3, 7, 20}, Eigen::all)));
  const Rows seen = view_of_subset(rows_of_matrix(features, "a"), {3, 7, 20});
  EXPECT_EQ(test::matrix_of(*seen), test::matrix_of(*subset));
  EXPECT_EQ(seen->where(), "a");
  const Targets targets = classes_of_sizes({10, 20});
  EXPECT_EQ(targets_of_rows(targets, {3, 7, 20}).labels, (std::vector<Label>{0, 0, 1}));
}

}  // namespace
}  // namespace assay
