#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/array.h"

namespace assay {

// Comma-separated text in UTF-8, with or without a byte-order mark, lines ending
// in LF or CRLF, empty lines at the end ignored. Both readers take a first row
// that is not all numbers for a header.

// A small table of text, every row with the same number of fields. Quotes follow
// RFC 4180 ("a ""b"", c" is one field and may span lines); blanks around fields
// that are not quoted are removed.
struct CsvTable {
  bool has_header = false;
  std::vector<std::string> header;  // empty without one
  std::vector<std::vector<std::string>> rows;
};

// Throws Error for an empty text, a quote that is never closed, and a row with
// another number of fields than the first, naming the line.
CsvTable read_csv_table(const std::filesystem::path& path);
CsvTable parse_csv(std::string_view text, const std::string& where);

// Numbers only, as a float64 array of shape (rows, columns): for features, at
// hundreds of megabytes a second. "nan" and "inf" are numbers here; whoever
// computes with them rejects them. Throws Error with line and column (from 1)
// for any other text and for empty cells. A first row of numbers and empty
// cells is refused too: it is neither data nor the names of columns.
Array read_numeric_csv(const std::filesystem::path& path);

// The number that the whole text spells ("-1.5", "+2e3", "nan"), if it does.
// Beyond double's range: infinity, or zero.
std::optional<double> number_in(std::string_view text);

}  // namespace assay
