#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/types.h"

namespace assay {

// "a,b,,c" -> {"a", "b", "", "c"}; surrounding blanks of each part are removed.
std::vector<std::string> split_list(std::string_view text, char separator = ',');

std::string_view trim(std::string_view text);

// The candidate that looks most like `word`, or "" when none is close: for
// "did you mean" hints.
std::string closest_match(std::string_view word, std::span<const std::string> candidates);

// 1234567 -> "1,234,567".
std::string with_thousands(Index value);

// 1536 MiB -> "1.5 GiB".
std::string human_bytes(double bytes);

// Number of terminal columns that UTF-8 text takes (one per code point).
Index display_width(std::string_view text);

}  // namespace assay
