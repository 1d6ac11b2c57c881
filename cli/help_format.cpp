#include "help_format.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/text.h"
#include "report/screen.h"

namespace assay::cli {
namespace {

constexpr Index kColumn = 34;  // where descriptions begin
constexpr Index kNarrowestHelp = 60;
constexpr Index kWidestHelp = 110;

// A line of its own: an example, or one that opens with a heading such as "Example:".
bool opens_paragraph(const std::string& line) {
  if (line.empty() || line.front() == ' ') return true;
  const std::string first = line.substr(0, line.find(' '));
  return first.ends_with(':') || line.starts_with("Exit code:");
}

}  // namespace

Index help_width() {
  const Index columns = stdout_screen().width;
  return columns == 0 ? 100 : std::clamp(columns, kNarrowestHelp, kWidestHelp);
}

std::string wrapped(const std::string& text, Index width, Index indent, Index start) {
  std::istringstream words(text);
  std::string out;
  Index column = start;
  bool line_is_empty = true;
  for (std::string word; words >> word;) {
    const Index length = display_width(word);
    if (!line_is_empty && column + 1 + length > width) {
      out += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
      line_is_empty = true;
    }
    out += (line_is_empty ? "" : " ") + word;
    column += length + (line_is_empty ? 0 : 1);
    line_is_empty = false;
  }
  return out;
}

std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool continues =
        !out.empty() && !opens_paragraph(line) && !out.back().empty() && out.back().front() != ' ';
    if (continues) {
      out.back() += " " + line;
    } else {
      out.push_back(line);
    }
  }
  return out;
}

HelpFormat::HelpFormat(Index width) : width_(width) {
  column_width(static_cast<std::size_t>(kColumn));
}

std::string HelpFormat::entry(const std::string& name, const std::string& description) const {
  std::string out = "  " + name;
  const bool fits = display_width(out) < kColumn;
  if (!fits) out += "\n";
  out += std::string(static_cast<std::size_t>(fits ? kColumn - display_width(out) : kColumn), ' ');
  return out + wrapped(description, width_, kColumn, kColumn) + "\n";
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option),
               make_option_desc(option));
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(true), command->get_description());
}

std::string HelpFormat::make_footer(const CLI::App* command) const {
  std::string out;
  for (const std::string& paragraph : paragraphs(command->get_footer())) {
    const bool example = paragraph.starts_with(' ') || paragraph.starts_with("Example: assay");
    out += (example ? paragraph : wrapped(paragraph, width_, 0, 0)) + "\n";
  }
  if (command->get_parent() == nullptr) return out;
  return out +
         wrapped(
             "Every command also takes --json FILE|-, --threads N, --seed N, --memory-limit "
             "SIZE and --quiet; see `assay --help`.",
             width_, 0, 0) +
         "\n";
}

}  // namespace assay::cli
