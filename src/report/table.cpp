#include "report/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "core/text.h"

namespace assay {
namespace {

constexpr Index kGap = 2;  // between columns

std::string pad(const std::string& cell, Index width, Align align) {
  const auto blanks = static_cast<std::size_t>(std::max<Index>(0, width - display_width(cell)));
  return align == Align::left ? cell + std::string(blanks, ' ') : std::string(blanks, ' ') + cell;
}

// The first characters, and an ellipsis for the others.
std::string cut(const std::string& cell, Index width) {
  if (display_width(cell) <= width) return cell;
  std::size_t end = 0;
  for (Index kept = 0; end < cell.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(cell[end]) & 0xC0) != 0x80;
    if (starts && ++kept >= width) break;
  }
  return cell.substr(0, end) + "…";
}

std::string painted(const std::string& line, const char* color, const Screen& screen) {
  return screen.color && !line.empty() ? color + line + kPlain : line;
}

Index total_width(const std::vector<std::size_t>& shown, const std::vector<Index>& widths) {
  Index total = shown.empty() ? 0 : -kGap;
  for (const std::size_t c : shown) total += widths[c] + kGap;
  return total;
}

}  // namespace

void TextTable::add_column(const std::string& title, Align align, Keep keep) {
  columns_.push_back({printable(title), align, keep});
}

void TextTable::add_row(std::vector<std::string> cells, Tone tone) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), tone});
}

Keep TextTable::keep_of(std::size_t column) const {
  const bool chosen = std::ranges::find(columns_, Keep::always, &Column::keep) != columns_.end();
  return !chosen && column == 0 ? Keep::always : columns_[column].keep;
}

std::vector<Index> TextTable::widths(bool of_all) const {
  std::vector<Index> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Index width = display_width(columns_[c].title);
    const bool every_row = of_all || columns_[c].align == Align::right;  // numbers are never cut
    for (const Row& row : rows_) {
      if (every_row || row.tone != Tone::faint)
        width = std::max(width, display_width(row.cells[c]));
    }
    widths.push_back(width);
  }
  return widths;
}

std::string TextTable::line(const std::vector<std::string>& cells, const Layout& fit) const {
  std::string line;
  for (const std::size_t c : fit.shown) {
    line += (c == fit.shown.front() ? "" : "  ") +
            pad(cut(cells[c], fit.widths[c]), fit.widths[c], columns_[c].align);
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

TextTable::Layout TextTable::layout(const Screen& screen) const {
  Layout fit{{}, widths(/*of_all=*/true)};
  for (std::size_t c = 0; c < columns_.size(); ++c) fit.shown.push_back(c);
  const auto over = [&] {
    return screen.width > 0 ? total_width(fit.shown, fit.widths) - screen.width : Index{0};
  };
  if (over() > 0)
    fit.widths = widths(/*of_all=*/false);  // what is beside the point gives way first
  while (over() > 0) {
    const auto least = std::ranges::min_element(fit.shown.rbegin(), fit.shown.rend(), {},
                                                [&](std::size_t c) { return keep_of(c); });
    if (keep_of(*least) == Keep::always) break;
    fit.shown.erase(std::next(least).base());
  }
  if (over() > 0) {
    constexpr Index narrowest = 8;
    const std::size_t widest =
        *std::ranges::max_element(fit.shown, {}, [&](std::size_t c) { return fit.widths[c]; });
    fit.widths[widest] = std::max(narrowest, fit.widths[widest] - over());
  }
  return fit;
}

std::string TextTable::left_out_note(const Layout& fit, int width) const {
  std::string names;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].title.empty() || std::ranges::find(fit.shown, c) != fit.shown.end()) continue;
    names += (names.empty() ? "" : ", ") + columns_[c].title;
  }
  if (names.empty()) return "";
  return wrap("Not shown on this narrow screen: " + names + " (`json` has everything)", width);
}

std::string TextTable::str(const Screen& screen) const {
  const Layout fit = layout(screen);
  std::vector<std::string> titles;
  std::vector<std::string> rule;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    rule.emplace_back(static_cast<std::size_t>(fit.widths[c]), '-');
  }
  std::string out = painted(line(titles, fit), kBold, screen) + "\n";
  out += painted(line(rule, fit), kFaint, screen) + "\n";
  for (const Row& row : rows_) {
    const char* const color = row.tone == Tone::strong ? kAccent : kFaint;
    const std::string text = line(row.cells, fit);
    out += (row.tone == Tone::plain ? text : painted(text, color, screen)) + "\n";
  }
  return out + left_out_note(fit, screen.width);
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
