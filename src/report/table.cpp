#include "assay/report/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "assay/core/text.h"

namespace assay {
namespace {

std::string pad(const std::string& cell, Index width, Align align) {
  const auto blanks = static_cast<std::size_t>(std::max<Index>(0, width - display_width(cell)));
  return align == Align::left ? cell + std::string(blanks, ' ') : std::string(blanks, ' ') + cell;
}

}  // namespace

void TextTable::add_column(std::string title, Align align) {
  titles_.push_back(std::move(title));
  aligns_.push_back(align);
}

void TextTable::add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string TextTable::str() const {
  std::vector<Index> widths;
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    Index width = display_width(titles_[c]);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      line += (c == 0 ? "" : "  ") + pad(cells[c], widths[c], aligns_[c]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line(titles_);
  std::vector<std::string> rule;
  for (const Index width : widths) rule.emplace_back(static_cast<std::size_t>(width), '-');
  add_line(rule);
  for (const auto& row : rows_) add_line(row);
  return out;
}

std::string wrap(const std::string& paragraph, int width) {
  std::istringstream words(paragraph);
  std::string out;
  Index used = 0;
  for (std::string word; words >> word;) {
    const Index length = display_width(word);
    if (used > 0 && used + 1 + length > width) {
      out += "\n";
      used = 0;
    }
    out += (used > 0 ? " " : "") + word;
    used += length + (used > 0 ? 1 : 0);
  }
  return out + "\n";
}

int terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0)
    return 100;
  return std::clamp<int>(size.ws_col, 40, 120);
}

}  // namespace assay
