#include "io/csv_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/csv.h"

namespace assay {
namespace {

// csv_cell() writes an apostrophe before what a spreadsheet would take for a formula.
std::string without_guard(std::string field) {
  const std::size_t first = field.find_first_not_of('\'');
  const bool guarded = first != std::string::npos && first > 0 &&
                       std::string_view("=+-@\t\r").find(field[first]) != std::string_view::npos;
  return guarded ? field.substr(1) : field;
}

}  // namespace

CsvScanner::CsvScanner(std::string_view text, std::string where)
    : rest_(text), where_(std::move(where)) {
  constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
  if (rest_.starts_with("\xFF\xFE") || rest_.starts_with("\xFE\xFF")) {
    fail_input(fmt::format("{}: the text is UTF-16; save it as UTF-8", where_));
  }
  if (rest_.starts_with(utf8_mark)) rest_.remove_prefix(utf8_mark.size());
  rest_ = rest_.substr(0, rest_.find_last_not_of("\r\n") + 1);
}

CsvScanner::Field CsvScanner::next_field() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  Field field{without_guard(rest_.starts_with('"') ? quoted_field() : plain_field()), true};
  if (rest_.empty()) return field;
  field.last = rest_.front() != ',';
  rest_.remove_prefix(1);
  if (field.last) ++line_;
  return field;
}

std::vector<std::string> CsvScanner::next() {
  constexpr Index growing = 3 * sizeof(std::string);  // a vector that grows holds old and new
  const Index most = reading_limit() / growing;
  std::vector<std::string> fields;
  for (bool last = false; !last;) {
    Field field = next_field();
    last = field.last;
    fields.push_back(std::move(field.text));
    if (std::ssize(fields) > most)
      require_readable(growing * std::ssize(fields), where_, "for the fields of one line");
  }
  return fields;
}

std::string CsvScanner::plain_field() {
  const std::size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
  std::string field(trim(rest_.substr(0, end)));
  rest_.remove_prefix(end);
  return field;
}

std::string CsvScanner::quoted_field() {
  const Index opened = line_;
  std::string field;
  rest_.remove_prefix(1);
  while (true) {
    const std::size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) {
      fail_input(fmt::format("{}: line {}: a quoted field is never closed", where_, opened));
    }
    field.append(rest_.substr(0, quote));
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    field.push_back('"');
    rest_.remove_prefix(1);
  }
  line_ += std::count(field.begin(), field.end(), '\n');
  if (!plain_field().empty()) {
    fail_input(fmt::format(
        "{}: line {}: text after the closing quote of a field; write a quote inside it as \"\"",
        where_, line_));
  }
  return field;
}

bool all_numbers(const std::vector<std::string>& fields) {
  return std::all_of(fields.begin(), fields.end(),
                     [](const std::string& field) { return number_in(field).has_value(); });
}

}  // namespace assay
