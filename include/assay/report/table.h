#pragma once

#include <string>
#include <vector>

namespace assay {

enum class Align { left, right };

// A table for people: columns padded to their widest cell, the header above a
// rule. Widths count characters, not bytes.
class TextTable {
 public:
  void add_column(std::string title, Align align);
  void add_row(std::vector<std::string> cells);
  std::string str() const;

 private:
  std::vector<std::string> titles_;
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;
};

// Breaks a paragraph at blanks so that no line exceeds `width` columns.
std::string wrap(const std::string& paragraph, int width);

// Columns of the terminal on stdout; 100 when it is none.
int terminal_width();

}  // namespace assay
