// What every reader does when a file would take more than the memory limit, and what it does not
// do.
#include <gtest/gtest.h>

#include "assay/features.h"
#include "assay/rows.h"
#include "core/memory.h"
#include "files.h"
#include "io/csv.h"
#include "io/npz.h"

namespace assay {
namespace {

using test::error_of;
using test::says;

class ReadingLimit : public testing::Test {
 protected:
  ReadingLimit() { limit_reading(Index{1} << 20); }
  ~ReadingLimit() override { limit_reading(0); }
};

TEST_F(ReadingLimit, HoldsForOneLongLineOfNumbers) {
  std::string line = "1";
  for (int i = 0; i < 200'000; ++i) line += ",1";
  const auto path = test::write_file("a.csv", line + "\n");
  EXPECT_TRUE(says(error_of([&] { read_numeric_csv(path); }), "`memory_limit`"));
}

TEST_F(ReadingLimit, HoldsForTablesOfText) {
  std::string rows;
  for (int i = 0; i < 50'000; ++i) rows += "a,b\n";
  EXPECT_TRUE(says(error_of([&] { parse_csv(rows, "table.csv"); }), "`memory_limit`"));
  const std::string wide(300'000, ',');
  EXPECT_TRUE(says(error_of([&] { parse_csv(wide, "table.csv"); }), "`memory_limit`"));
}

TEST_F(ReadingLimit, HoldsForLabels) {
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "1\n";
  EXPECT_TRUE(says(error_of([&] { load_targets(test::write_file("y.txt", lines)); }), "as labels"));
  EXPECT_TRUE(says(error_of([&] { load_targets(test::write_file("y.csv", lines)); }), "as labels"));
  const auto npy =
      test::write_file("y.npy", test::npy("'|u1'", "(100000,)", std::string(100'000, '\1')));
  EXPECT_TRUE(says(error_of([&] { load_targets(npy); }), "as labels"));
}

// 40,000 names of 30 letters would take 3 MB as strings; their labels take 160 kB.
TEST_F(ReadingLimit, LabelsOfTextAreNotKeptAsText) {
  std::string lines;
  for (int i = 0; i < 40'000; ++i)
    lines += i % 2 == 0 ? "a class with a rather long name\n" : "b\n";
  const Targets targets = load_targets(test::write_file("y.txt", lines));
  EXPECT_EQ(targets.rows(), 40'000);
  EXPECT_EQ(targets.names, (std::vector<std::string>{"a class with a rather long name", "b"}));
  EXPECT_EQ(targets.labels[1], 1);
}

TEST_F(ReadingLimit, ArchivesAreLookedIntoWithoutUnpackingThem) {
  const std::vector<float> large(1 << 20);
  const std::vector<float> small = {1, 2, 3, 4};
  const auto path = test::scratch("a.npz");
  const std::vector<NpzMember> members = {
      {"much", ElementType::f32, {1 << 20}, std::as_bytes(std::span(large))},
      {"x", ElementType::f32, {2, 2}, std::as_bytes(std::span(small))}};
  write_npz(path, members);
  EXPECT_EQ(npz_shape(path, "much").shape, (std::vector<Index>{1 << 20}));
  EXPECT_EQ(open_features(path)->cols(), 2);  // the only 2-D array
  EXPECT_TRUE(says(error_of([&] { open_npz_member(path, "much"); }), "when unpacked"));
}

}  // namespace
}  // namespace assay
