#pragma once

#include <string>
#include <string_view>

namespace assay {

// A cell of text in a CSV file: in quotes when it needs them (RFC 4180), with an apostrophe before
// what a spreadsheet would take for a formula (=, +, -, @).
std::string csv_cell(const std::string& text);

}  // namespace assay
