#pragma once

#include <string>

namespace assay {

// A cell of a CSV file, in quotes when its text needs them (RFC 4180).
std::string csv_cell(const std::string& text);

}  // namespace assay
