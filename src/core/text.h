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

// The candidate that begins with `word`, else the one that looks most like it, or "" when none is
// close: for "did you mean" hints.
std::string closest_match(std::string_view word, std::span<const std::string> candidates);

// 1234567 -> "1,234,567".
std::string with_thousands(Index value);

// 1536 MiB -> "1.5 GiB".
std::string human_bytes(double bytes);

// {"a", "b", "c"} -> "a, b and c".
std::string listed(std::span<const std::string> words);

// A name or message from outside, safe to show: control characters, bytes that are no UTF-8 and
// marks that turn the direction of writing become \x1b, \u202e and the like.
std::string printable(std::string_view text);

// The length of the UTF-8 character that a text begins with; 0 when it begins with none.
std::size_t utf8_length(std::string_view text);

// Number of terminal columns that UTF-8 text takes (one per code point).
Index display_width(std::string_view text);

}  // namespace assay
