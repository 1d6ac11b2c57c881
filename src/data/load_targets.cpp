#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "assay/features.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/class_encoder.h"
#include "io/csv.h"
#include "io/csv_scanner.h"
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

std::optional<std::int64_t> integer_in(std::string_view text) {
  if (!looks_like_integer(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t id = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), id).ec != std::errc{})
    return std::nullopt;
  return id;
}

// Hands the cells of the targets, row after row, to a visitor, as often as asked: a file of ten
// million labels is gone through twice rather than kept as ten million strings.
using Visitor = std::function<void(std::string_view)>;
using Cells = std::function<void(const Visitor&)>;

// What all cells have in common.
struct CellKind {
  Index count = 0;
  bool integers = true;  // of 64 bits
  bool digits = true;    // integers of any length: ids, not measurements
  bool numbers = true;
};

CellKind kind_of(const Cells& cells) {
  CellKind kind;
  cells([&](std::string_view text) {
    ++kind.count;
    kind.digits = kind.digits && looks_like_integer(text);
    kind.integers = kind.integers && integer_in(text).has_value();
    if (kind.numbers && !kind.integers) kind.numbers = number_in(text).has_value();
  });
  return kind;
}

Ids integers_of(const Cells& cells, Index count) {
  Ids ids;
  ids.reserve(static_cast<std::size_t>(count));
  cells([&](std::string_view text) { ids.push_back(*integer_in(text)); });
  return ids;
}

std::vector<double> numbers_of(const Cells& cells, Index count) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  cells([&](std::string_view text) { numbers.push_back(*number_in(text)); });
  return numbers;
}

Targets targets_of_one_column(const Cells& cells, const CellKind& kind, Names names,
                              const std::string& where) {
  if (kind.integers) return targets_of_classes(integers_of(cells, kind.count), where);
  if (kind.numbers && !kind.digits) {
    const std::vector<double> numbers = numbers_of(cells, kind.count);
    const Matrix column = Eigen::Map<const Vector>(numbers.data(), kind.count);
    return targets_of_values(column, std::move(names), where);
  }
  ClassEncoder encoder;
  cells([&](std::string_view text) { encoder.add(text); });
  return std::move(encoder).targets(where);
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

Targets targets_of_columns(const Cells& cells, const CellKind& kind, Index columns,
                           const Names& names, const std::string& where) {
  if (kind.integers) {
    Targets targets =
        targets_of_array(array_of_integers(integers_of(cells, kind.count), columns, where));
    if (!names.empty()) targets.names = names;
    return targets;
  }
  if (!kind.numbers) {
    fail_input(fmt::format(
        "{}: expected one column, or several of numbers, found {} columns with text; name the "
        "column to use 'label' in a header",
        where, columns));
  }
  const std::vector<double> numbers = numbers_of(cells, kind.count);
  return targets_of_values(
      Eigen::Map<const Matrix>(numbers.data(), columns, kind.count / columns).transpose(), names,
      where);
}

Targets targets_of_any(const Cells& cells, Index columns, const Names& names,
                       const std::string& where) {
  // Every cell as a number and as a class, both held while one is made of the other.
  constexpr Index bytes_per_cell = 2 * sizeof(double) + sizeof(Label);
  const CellKind kind = kind_of(cells);
  require_readable(bytes_per_cell * kind.count, where, "as labels");
  if (columns == 1) return targets_of_one_column(cells, kind, names, where);
  return targets_of_columns(cells, kind, columns, names, where);
}

// The columns of a label file that hold the targets: the one called label, else all of them.
struct LabelColumns {
  Index width = 0;
  Index first = 0;
  Index last = 0;
  Names names;  // empty without a header
};

LabelColumns columns_of(CsvScanner scanner) {
  const Names row = scanner.next();
  LabelColumns columns{std::ssize(row), 0, std::ssize(row), {}};
  if (all_numbers(row)) return columns;
  for (Index j = 0; j < columns.width; ++j) {
    if (row[static_cast<std::size_t>(j)] != "label" && row[static_cast<std::size_t>(j)] != "labels")
      continue;
    columns.first = j;
    columns.last = j + 1;
    break;
  }
  columns.names.assign(row.begin() + columns.first, row.begin() + columns.last);
  return columns;
}

void visit_csv(CsvScanner scanner, const LabelColumns& columns, const std::string& where,
               const Visitor& visit) {
  if (!columns.names.empty()) scanner.next();
  for (Index row = 0; !scanner.done(); ++row) {
    const Index line = scanner.line();
    const Names fields = scanner.next();
    if (std::ssize(fields) != columns.width) {
      fail_input(fmt::format("{}: line {}: expected {} fields as in the first row, found {}", where,
                             line, columns.width, fields.size()));
    }
    for (Index j = columns.first; j < columns.last; ++j) {
      const std::string& field = fields[static_cast<std::size_t>(j)];
      if (field.empty()) {
        fail_input(fmt::format("{}: row {}, column {} is empty; every sample needs its label",
                               where, row, j));
      }
      visit(field);
    }
  }
}

Targets targets_of_csv(const std::filesystem::path& path) {
  const std::string where = path.string();
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const CsvScanner scanner(file->text(), where);
  if (scanner.done()) fail_input(fmt::format("{}: the file is empty", where));
  const LabelColumns columns = columns_of(scanner);
  CsvScanner body = scanner;
  if (!columns.names.empty()) body.next();
  if (body.done()) fail_input(fmt::format("{}: no labels follow the header", where));
  const Cells cells = [&](const Visitor& visit) { visit_csv(scanner, columns, where, visit); };
  return targets_of_any(cells, columns.last - columns.first, columns.names, where);
}

void visit_lines(std::string_view text, const std::string& where, const Visitor& visit) {
  for (Index line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view value = trim(text.substr(0, end));
    if (value.empty()) {
      fail_input(fmt::format("{}: line {} is empty; every sample needs its label", where, line));
    }
    visit(value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

Targets targets_of_lines(const std::filesystem::path& path) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  std::string_view text = file->text();
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (text.empty()) fail_input(fmt::format("{}: the file is empty", path.string()));
  const Cells cells = [&](const Visitor& visit) { visit_lines(text, path.string(), visit); };
  return targets_of_any(cells, 1, {}, path.string());
}

}  // namespace

Targets targets_of_cells(const Names& cells, const Names& names, const std::string& where) {
  const Cells all = [&](const Visitor& visit) {
    for (const std::string& cell : cells) visit(cell);
  };
  return targets_of_any(all, std::ssize(names), names, where);
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
