#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "assay/features.h"
#include "images/readers.h"
#include "io/csv.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Columns {
  std::size_t path = 0;
  std::optional<std::size_t> split;
  std::vector<std::size_t> targets;
  std::vector<std::string> names;
};

Columns columns_of(const CsvTable& table, const fs::path& file) {
  const auto position = [&](const std::string& name) -> std::optional<std::size_t> {
    const auto found = std::find(table.header.begin(), table.header.end(), name);
    if (found == table.header.end()) return {};
    return static_cast<std::size_t>(found - table.header.begin());
  };
  const std::optional<std::size_t> path = position("path");
  if (!path) {
    fail_input(
        fmt::format("{}: expected a header with the column 'path', then 'label' or columns "
                    "of numbers, perhaps 'split'",
                    file.string()));
  }
  Columns columns{*path, position("split"), {}, {}};
  std::optional<std::size_t> label = position("label");
  if (!label) label = position("labels");
  for (std::size_t j = 0; j < table.header.size(); ++j) {
    const bool target = label ? j == *label : j != columns.path && j != columns.split;
    if (!target) continue;
    columns.targets.push_back(j);
    columns.names.push_back(table.header[j]);
  }
  if (columns.targets.empty())
    fail_input(fmt::format("{}: no column beside 'path' says what to predict", file.string()));
  return columns;
}

class Part {
 public:
  void add(fs::path file, const std::vector<std::string>& row, const Columns& columns) {
    files_.push_back(std::move(file));
    for (const std::size_t j : columns.targets) cells_.push_back(row[j]);
  }

  bool empty() const { return files_.empty(); }

  LabelledImages finish(const Columns& columns, const fs::path& file) {
    return labelled(images_of_files(std::move(files_)),
                    targets_of_cells(cells_, columns.names, file.string()));
  }

 private:
  std::vector<fs::path> files_;
  std::vector<std::string> cells_;
};

bool belongs_to_test(const std::string& split, std::size_t row, const fs::path& file) {
  for (const char* name : {"test", "val", "valid", "validation"}) {
    if (split == name) return true;
  }
  if (split == "train") return false;
  fail_input(fmt::format("{}: row {} has the split '{}'; expected train, test or val",
                         file.string(), row, split));
}

}  // namespace

ImageData read_manifest(const fs::path& file) {
  const CsvTable table = read_csv_table(file);
  const Columns columns = columns_of(table, file);
  Part train;
  Part test;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<std::string>& row = table.rows[i];
    const fs::path image = file.parent_path() / row[columns.path];
    if (row[columns.path].empty() || !fs::is_regular_file(image)) {
      fail_input(
          fmt::format("{}: row {} names '{}', which is no file; paths are relative to the "
                      "manifest",
                      file.string(), i, row[columns.path]));
    }
    for (const std::size_t j : columns.targets) {
      if (!row[j].empty()) continue;
      fail_input(fmt::format("{}: row {} has no '{}'; every image needs one", file.string(), i,
                             table.header[j]));
    }
    const bool held_out = columns.split && belongs_to_test(row[*columns.split], i, file);
    (held_out ? test : train).add(image, row, columns);
  }
  if (train.empty()) fail_input(fmt::format("{}: lists no images to train on", file.string()));
  ImageData data{{}, train.finish(columns, file), {}};
  if (!test.empty()) data.test = test.finish(columns, file);
  return data;
}

}  // namespace assay
