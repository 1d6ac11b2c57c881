#pragma once

#include <string>
#include <vector>

#include "assay/types.h"
#include "report/screen.h"

namespace assay {

enum class Align { left, right };

// What a row is, for terminals with colours: nothing special, among the best, or beside the point.
enum class Tone { plain, strong, faint };

// How much a column is missed where the screen is too narrow: the least important go first.
enum class Keep { last_resort, detail, usual, first, always };

// A table for people: columns padded to their widest cell, the header above a
// rule. Widths count characters, not bytes.
class TextTable {
 public:
  // Where no column is to be kept always, the first one is.
  void add_column(const std::string& title, Align align, Keep keep = Keep::usual);
  void add_row(std::vector<std::string> cells, Tone tone = Tone::plain);

  // For a file or a pipe.
  std::string str() const { return str(Screen{}); }

  // On a narrow screen the words of faint rows are cut, then columns are left out, least important
  // first and rightmost first among equals, and a line below names them; the columns that are
  // always kept are cut at last.
  std::string str(const Screen& screen) const;

 private:
  struct Column {
    std::string title;
    Align align;
    Keep keep;
  };
  struct Row {
    std::vector<std::string> cells;
    Tone tone;
  };

  // The columns shown and the widths of all.
  struct Layout {
    std::vector<std::size_t> shown;
    std::vector<Index> widths;
  };
  Keep keep_of(std::size_t column) const;
  Layout layout(const Screen& screen) const;
  std::vector<Index> widths(bool of_all) const;
  std::string line(const std::vector<std::string>& cells, const Layout& fit) const;
  std::string left_out_note(const Layout& fit, int width) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Breaks a paragraph at blanks so that no line exceeds `width` columns.
std::string wrap(const std::string& paragraph, int width);

// Columns of the terminal on stdout; 100 when it is none.
int terminal_width();

}  // namespace assay
