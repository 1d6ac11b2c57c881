#include "report/csv_cell.h"

namespace assay {
namespace {

// Spreadsheets take these for the start of a formula, and run it. An apostrophe before it makes it
// text to them; readers of ours take it away again (io/csv_scanner.cpp). Texts that begin so by
// themselves get one more, so that nothing is lost.
bool looks_like_formula(const std::string& text) {
  const std::size_t first = text.find_first_not_of('\'');
  return first != std::string::npos &&
         std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  const std::string shown = looks_like_formula(text) ? "'" + text : text;
  if (shown.find_first_of(",\"\n\r") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace assay
