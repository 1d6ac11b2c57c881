#include "io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "assay/error.h"
#include "core/memory.h"
#include "io/csv_scanner.h"
#include "io/mapped_file.h"

namespace assay {

std::optional<double> number_in(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* last = text.data() + text.size();
  double value = 0.0;
  const auto [stop, status] = std::from_chars(text.data(), last, value);
  if (stop != last || status == std::errc::invalid_argument) return std::nullopt;
  if (status != std::errc::result_out_of_range) return value;
  // std::from_chars reports overflow and underflow by one code. Parsed again in long double, the
  // number tells infinity from zero, unless its exponent is out of that range, too.
  long double wide = 0.0L;
  if (std::from_chars(text.data(), last, wide).ec == std::errc{}) return static_cast<double>(wide);
  const double sign = text.starts_with('-') ? -1.0 : 1.0;
  return text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
             ? sign * 0.0
             : sign * std::numeric_limits<double>::infinity();
}

CsvTable parse_csv(std::string_view text, const std::string& where) {
  // A table of strings takes many times its text: judged before any of it is made.
  const Index cells = std::ranges::count_if(text, [](char c) { return c == ',' || c == '\n'; }) + 1;
  constexpr Index bytes_per_cell = sizeof(std::string) + 24;  // and its share of a row
  require_readable(cells * bytes_per_cell + std::ssize(text), where, "as a table of text");
  CsvScanner scanner(text, where);
  if (scanner.done()) fail_input(fmt::format("{}: the file is empty", where));
  CsvTable table;
  std::vector<std::string> first = scanner.next();
  const std::size_t width = first.size();
  table.has_header = !all_numbers(first);
  (table.has_header ? table.header : table.rows.emplace_back()) = std::move(first);
  while (!scanner.done()) {
    const Index line = scanner.line();
    table.rows.push_back(scanner.next());
    if (table.rows.back().size() != width) {
      fail_input(fmt::format("{}: line {}: expected {} fields as in the first row, found {}", where,
                             line, width, table.rows.back().size()));
    }
  }
  return table;
}

CsvTable read_csv_table(const std::filesystem::path& path) {
  return parse_csv(MappedFile::open(path)->text(), path.string());
}

}  // namespace assay
