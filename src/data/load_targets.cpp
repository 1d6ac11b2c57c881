#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "core/text.h"
#include "io/csv.h"
#include "io/hdf5.h"
#include "io/mapped_file.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;
using Ids = std::vector<std::int64_t>;

std::string label_member(const std::filesystem::path& path, const Names& names) {
  if (std::find(names.begin(), names.end(), "labels") != names.end()) return "labels";
  if (names.size() == 1) return names.front();
  fail_input(fmt::format("{}: expected an array named 'labels', or only one array; it holds: {}",
                         path.string(), fmt::join(names, ", ")));
}

bool looks_like_integer(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// All values as integers; nothing when one is none, or is beyond 64 bits.
std::optional<Ids> integers_in(const Names& values) {
  Ids ids;
  for (const std::string& value : values) {
    std::string_view text = value;
    if (!looks_like_integer(text)) return std::nullopt;
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t id = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), id).ec != std::errc{})
      return std::nullopt;
    ids.push_back(id);
  }
  return ids;
}

std::optional<std::vector<double>> numbers_in(const Names& values) {
  std::vector<double> numbers;
  for (const std::string& value : values) {
    const std::optional<double> number = number_in(value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

Targets targets_of_one_column(const Names& values, Names names, const std::string& where) {
  if (const std::optional<Ids> ids = integers_in(values)) return targets_of_classes(*ids, where);
  // Integers beyond 64 bits are ids, not measurements.
  const bool ids_only = std::all_of(values.begin(), values.end(), looks_like_integer);
  if (const auto numbers = numbers_in(values); numbers && !ids_only) {
    const Matrix column =
        Eigen::Map<const Vector>(numbers->data(), static_cast<Index>(numbers->size()));
    return targets_of_values(column, std::move(names), where);
  }
  return targets_of_classes(values, where);
}

// Integers of several columns, as the array that a .npy of them would hold.
Array array_of_integers(const Ids& values, Index columns, const std::string& where) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  Array array;
  array.type = ElementType::i64;
  array.shape = {static_cast<Index>(values.size()) / columns, columns};
  array.where = where;
  array.buffer = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  array.bytes = *array.buffer;
  return array;
}

Targets targets_of_columns(const Names& cells, Index columns, const Names& names,
                           const std::string& where) {
  if (const std::optional<Ids> integers = integers_in(cells)) {
    Targets targets = targets_of_array(array_of_integers(*integers, columns, where));
    if (!names.empty()) targets.names = names;
    return targets;
  }
  const std::optional<std::vector<double>> numbers = numbers_in(cells);
  if (!numbers) {
    fail_input(fmt::format(
        "{}: expected one column, or several of numbers, found {} columns with text; name the "
        "column to use 'label' in a header",
        where, columns));
  }
  const Index rows = static_cast<Index>(numbers->size()) / columns;
  return targets_of_values(Eigen::Map<const Matrix>(numbers->data(), columns, rows).transpose(),
                           names, where);
}

Targets targets_of_csv(const std::filesystem::path& path) {
  const std::string where = path.string();
  CsvTable table = read_csv_table(path);
  if (table.rows.empty()) fail_input(fmt::format("{}: no labels follow the header", where));
  std::size_t first = 0;
  std::size_t last = table.rows.front().size();
  for (std::size_t j = 0; j < table.header.size(); ++j) {
    if (table.header[j] != "label" && table.header[j] != "labels") continue;
    first = j;
    last = j + 1;
    break;
  }
  Names cells;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (std::size_t j = first; j < last; ++j) {
      if (table.rows[i][j].empty()) {
        fail_input(fmt::format("{}: row {}, column {} is empty; every sample needs its label",
                               where, i, j));
      }
      cells.push_back(std::move(table.rows[i][j]));
    }
  }
  Names names;
  if (table.has_header) {
    names.assign(table.header.begin() + static_cast<Index>(first),
                 table.header.begin() + static_cast<Index>(last));
  }
  if (last - first == 1) return targets_of_one_column(cells, std::move(names), where);
  return targets_of_columns(cells, static_cast<Index>(last - first), names, where);
}

Targets targets_of_lines(const std::filesystem::path& path) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (text.empty()) fail_input(fmt::format("{}: the file is empty", path.string()));
  Names values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    values.emplace_back(trim(text.substr(0, end)));
    if (values.back().empty()) {
      fail_input(fmt::format("{}: line {} is empty; every sample needs its label", path.string(),
                             values.size()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return targets_of_one_column(values, {}, path.string());
}

}  // namespace

Targets targets_of_cells(const Names& cells, const Names& names, const std::string& where) {
  if (names.size() == 1) return targets_of_one_column(cells, names, where);
  return targets_of_columns(cells, static_cast<Index>(names.size()), names, where);
}

Targets load_targets(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".npy") return targets_of_array(open_npy(path));
  if (extension == ".csv") return targets_of_csv(path);
  if (extension == ".txt") return targets_of_lines(path);
  if (extension == ".npz")
    return targets_of_array(open_npz_member(path, label_member(path, npz_members(path))));
  if (extension == ".h5" || extension == ".hdf5") {
    return targets_of_array(read_hdf5(path, label_member(path, hdf5_names(path))));
  }
  if (extension == ".safetensors") {
    return targets_of_array(open_safetensors(path, label_member(path, safetensors_names(path))));
  }
  fail_input(fmt::format(
      "{}: unknown kind of label file '{}'; expected .npy, .npz, .h5, .hdf5, .safetensors, .csv "
      "or .txt",
      path.string(), extension));
}

}  // namespace assay
