#include "data/check_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "data/recode_labels.h"
#include "data/row_blocks.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RequireClasses, NamesWhatIsMissingAndWhoNeedsIt) {
  require_classes(test::class_targets({0, 1}), "a probe");
  EXPECT_EQ(test::error_of([] {
              require_classes(test::class_targets({0, 0}), "a probe");
            }),
            "labels: only one class, '0'; a probe needs two or more");
  EXPECT_EQ(
      test::error_of([] { require_classes(test::value_targets(Matrix::Ones(3, 1)), "a probe"); }),
      "targets: a probe needs classes, one per row");
}

TEST(RequireSingleTarget, TakesNumbersButNoListsOfLabels) {
  Targets targets = test::value_targets(Matrix::Ones(3, 2));
  require_single_target(targets, "a curve");
  targets.kind = TargetKind::multi_label;
  EXPECT_THAT(test::error_of([&] { require_single_target(targets, "a curve"); }),
              HasSubstr("a curve takes one class or numbers per row"));
  EXPECT_THAT(test::error_of([] { require_single_target(test::class_targets({0}), "a curve"); }),
              HasSubstr("only one class"));
}

TEST(Recoded, GivesTestLabelsTheCodesOfTheTrainingLabels) {
  Targets train = test::class_targets({0, 1, 2});
  train.names = {"cat", "dog", "emu"};
  Targets held = test::class_targets({0, 1, 1});
  held.names = {"emu", "cat"};
  const Targets found = recoded(held, train);
  EXPECT_THAT(found.labels, ElementsAre(2, 0, 0));
  EXPECT_EQ(found.names, train.names);
  held.names = {"emu", "fox"};
  EXPECT_THAT(test::error_of([&] { recoded(held, train); }),
              HasSubstr("class 'fox' does not occur in"));
  EXPECT_THAT(test::error_of([&] { recoded(test::value_targets(Matrix::Ones(3, 1)), train); }),
              HasSubstr("expected the same kind of targets"));
  const Targets numbers = test::value_targets(Matrix::Ones(3, 2));
  EXPECT_EQ(recoded(numbers, numbers).values, numbers.values);
}

// Every row once, in blocks of neighbours, checked on the way.
TEST(RowBlocks, ShowEveryRowOnce) {
  const Matrix features = test::gaussian(2 * kRowsPerTask + 7, 3, 5);
  std::mutex mutex;
  std::set<Index> seen;
  for_row_blocks(test::pool(), *rows_of_matrix(features, "a"),
                 [&](Index first, const Matrix& samples) {
                   const std::lock_guard lock(mutex);
                   for (Index k = 0; k < samples.cols(); ++k) {
                     EXPECT_TRUE(seen.insert(first + k).second);
                     EXPECT_EQ(samples.col(k), features.row(first + k).transpose());
                   }
                 });
  EXPECT_EQ(std::ssize(seen), features.rows());
  Matrix bad = features;
  bad(kRowsPerTask + 1, 2) = std::nan("");
  EXPECT_THAT(test::error_of([&] {
                for_row_blocks(test::pool(), *rows_of_matrix(bad, "a"),
                               [](Index, const Matrix&) {});
              }),
              HasSubstr("row 257, column 2"));
}

}  // namespace
}  // namespace assay
