#include "model_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "assay/core/error.h"
#include "assay/core/text.h"
#include "assay/core/types.h"

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
        fmt::format("{}: expected a header line with a `name` column, got numbers only; "
                    "add a first line such as name,accuracy",
                    table.where));
  }
  if (!table.find("name")) {
    fail_input(fmt::format("{}: expected a column `name`, got {}", table.where,
                           fmt::join(table.csv.header, ", ")));
  }
  std::set<std::string> seen;
  for (const std::string& title : table.csv.header) {
    if (title.empty() || seen.insert(title).second) continue;
    fail_input(fmt::format("{}: column '{}' appears twice; rename one", table.where, title));
  }
}

std::vector<std::string> checked_names(const ModelTable& table) {
  const std::size_t name_column = *table.find("name");
  const bool several = table.find("dataset").has_value();
  std::map<std::string, std::size_t> first_row;
  std::vector<std::string> names;
  for (std::size_t row = 0; row < table.csv.rows.size(); ++row) {
    const std::string name(table.cell(row, name_column));
    if (name.empty()) {
      fail_input(fmt::format("{}: line {}, column 'name' is blank; every row needs a model's name",
                             table.where, line_of(table, row)));
    }
    const auto [first, inserted] = first_row.try_emplace(name, row);
    if (!inserted) {
      fail_input(fmt::format("{}: line {}: model '{}' is already on line {}; {}", table.where,
                             line_of(table, row), name, line_of(table, first->second),
                             several ? "keep one `dataset` per file" : "keep one row per model"));
    }
    names.push_back(name);
  }
  return names;
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
  ModelTable table{.where = where, .csv = std::move(csv), .names = {}};
  for (std::string& title : table.csv.header) title = std::string(trim(title));
  check_header(table);
  table.names = checked_names(table);
  return table;
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

std::map<std::string, double> numbers_of(const ModelTable& table, std::size_t column) {
  std::map<std::string, double> numbers;
  for (std::size_t row = 0; row < table.names.size(); ++row) {
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

}  // namespace assay
