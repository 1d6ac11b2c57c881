#include "curve/export_subsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;

std::vector<Index> rows_in(const std::filesystem::path& path) {
  const Array array = open_npy(path);
  std::vector<Index> out;
  for (Index i = 0; i < array.size(); ++i) out.push_back(integer_at(array, i));
  return out;
}

TEST(ExportSubsets, WritesRowsOfTheFiles) {
  const test::TemporaryDirectory folder;
  const std::vector<Index> sizes = {2, 4};
  const std::vector<std::vector<Index>> orders = {{6, 1, 3, 4}, {5, 3, 0, 2}};
  const std::vector<std::vector<Index>> held_out = {{0, 2, 5}, {1, 4, 6}};
  export_subsets(folder / "subsets", test::class_targets({0, 1, 0, 1, 0, 1, 0}), sizes, orders,
                 held_out);
  EXPECT_THAT(rows_in(folder / "subsets/order_seed_0.npy"), ElementsAre(6, 1, 3, 4));
  EXPECT_THAT(rows_in(folder / "subsets/order_seed_1.npy"), ElementsAre(5, 3, 0, 2));
  EXPECT_THAT(rows_in(folder / "subsets/validation_rows_seed_0.npy"), ElementsAre(0, 2, 5));
  EXPECT_THAT(rows_in(folder / "subsets/validation_rows_seed_1.npy"), ElementsAre(1, 4, 6));
  std::ifstream stream(folder / "subsets/subsets.json");
  const auto shown = nlohmann::json::parse(stream);
  EXPECT_EQ(shown["train_rows"], 4);
  EXPECT_EQ(shown["validation_rows"], 3);
  EXPECT_EQ(shown["sizes"], (std::vector<Index>{2, 4}));
  EXPECT_EQ(shown["seeds"], (std::vector<Index>{0, 1}));
}

TEST(ExportSubsets, NamesAFolderThatCannotBeMade) {
  const test::TemporaryDirectory folder;
  test::write_text(folder / "file", "");
  EXPECT_THAT(test::error_of([&] {
                export_subsets(folder / "file/below", test::class_targets({0, 1}), {}, {}, {});
              }),
              testing::HasSubstr("cannot create"));
}

}  // namespace
}  // namespace assay
