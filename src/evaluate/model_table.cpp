#include "evaluate/model_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "assay/error.h"
#include "assay/types.h"
#include "core/text.h"

namespace assay {
namespace {

std::optional<double> finite_number(std::string_view text) {
  const std::optional<double> number = number_in(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Counted from 1. Only messages ask, so the lines that quoted fields span are
// counted then.
Index line_of(const ModelTable& table, std::size_t row) {
  const auto breaks_in = [](const std::vector<std::string>& fields) {
    Index breaks = 0;
    for (const std::string& field : fields) breaks += std::ranges::count(field, '\n');
    return breaks;
  };
  Index line = 2 + breaks_in(table.csv.header);
  for (std::size_t i = 0; i < row; ++i) line += 1 + breaks_in(table.csv.rows[i]);
  return line;
}

void check_header(const ModelTable& table) {
  if (!table.csv.has_header) {
    fail_input(
        fmt::format("{}: expected a header line with a 'name' column, got numbers only; "
                    "add a first line such as name,accuracy",
                    table.where));
  }
  if (!table.find("name")) {
    fail_input(fmt::format("{}: expected a column 'name', got {}", table.where,
                           fmt::join(table.csv.header, ", ")));
  }
  std::set<std::string> seen;
  for (const std::string& title : table.csv.header) {
    if (title.empty() || seen.insert(title).second) continue;
    fail_input(fmt::format("{}: column '{}' appears twice; rename one", table.where, title));
  }
}

std::vector<std::string> filled_cells(const ModelTable& table, std::size_t column,
                                      std::string_view what) {
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < table.csv.rows.size(); ++row) {
    cells.emplace_back(table.cell(row, column));
    if (!cells.back().empty()) continue;
    fail_input(fmt::format("{}: line {}, column '{}' is blank; every row needs a {} name",
                           table.where, line_of(table, row), table.csv.header[column], what));
  }
  return cells;
}

void check_once_each(const ModelTable& table) {
  std::map<std::pair<std::string, std::string>, std::size_t> first_row;
  for (std::size_t row = 0; row < table.names.size(); ++row) {
    const std::string dataset = table.datasets.empty() ? "" : table.datasets[row];
    const auto [first, inserted] = first_row.try_emplace({dataset, table.names[row]}, row);
    if (inserted) continue;
    fail_input(fmt::format("{}: line {}: model '{}' is already on line {}; {}", table.where,
                           line_of(table, row), table.names[row], line_of(table, first->second),
                           dataset.empty() ? "keep one row per model, or tell data sets apart by a "
                                             "column 'dataset'"
                                           : "keep one row per model and data set"));
  }
}

}  // namespace

std::optional<std::size_t> ModelTable::find(std::string_view column) const {
  const auto found = std::ranges::find(csv.header, column);
  if (found == csv.header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - csv.header.begin());
}

std::string_view ModelTable::cell(std::size_t row, std::size_t column) const {
  return trim(csv.rows[row][column]);
}

ModelTable model_table(CsvTable csv, const std::string& where) {
  ModelTable table{.where = where, .csv = std::move(csv), .names = {}, .datasets = {}};
  for (std::string& title : table.csv.header) title = std::string(trim(title));
  check_header(table);
  table.names = filled_cells(table, *table.find("name"), "model's");
  if (const std::optional<std::size_t> column = table.find("dataset")) {
    table.datasets = filled_cells(table, *column, "data set's");
  }
  check_once_each(table);
  return table;
}

std::vector<DatasetRows> rows_by_dataset(const ModelTable& table) {
  std::vector<DatasetRows> parts;
  for (std::size_t row = 0; row < table.names.size(); ++row) {
    const std::string dataset = table.datasets.empty() ? "" : table.datasets[row];
    auto part = std::ranges::find(parts, dataset, &DatasetRows::dataset);
    if (part == parts.end()) part = parts.insert(part, {.dataset = dataset, .rows = {}});
    part->rows.push_back(row);
  }
  if (parts.empty()) parts.emplace_back();
  return parts;
}

std::size_t require_column(const ModelTable& table, const std::string& title,
                           std::string_view option) {
  if (const std::optional<std::size_t> column = table.find(title)) return *column;
  throw Error(ErrorCode::unknown,
              fmt::format("{}: no column '{}'; the columns are {}; choose with {}", table.where,
                          title, fmt::join(table.csv.header, ", "), option));
}

bool is_numeric(const ModelTable& table, std::size_t column) {
  bool any = false;
  for (std::size_t row = 0; row < table.names.size(); ++row) {
    const std::string_view text = table.cell(row, column);
    if (text.empty()) continue;
    if (!finite_number(text)) return false;
    any = true;
  }
  return any;
}

std::map<std::string, double> numbers_of(const ModelTable& table, std::size_t column,
                                         std::span<const std::size_t> rows) {
  std::map<std::string, double> numbers;
  for (const std::size_t row : rows) {
    const std::string_view text = table.cell(row, column);
    if (text.empty()) continue;
    const std::optional<double> number = finite_number(text);
    if (!number) {
      fail_input(
          fmt::format("{}: line {}, column '{}': expected a finite number, got '{}'; "
                      "leave the cell blank if there is none",
                      table.where, line_of(table, row), table.csv.header[column], text));
    }
    numbers.emplace(table.names[row], *number);
  }
  return numbers;
}

std::map<std::string, std::string> texts_of(const ModelTable& table, std::size_t column,
                                            std::span<const std::size_t> rows) {
  std::map<std::string, std::string> texts;
  for (const std::size_t row : rows) {
    const std::string_view text = table.cell(row, column);
    if (!text.empty()) texts.emplace(table.names[row], text);
  }
  return texts;
}

}  // namespace assay
