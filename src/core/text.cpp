#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace assay {
namespace {

Index edit_distance(std::string_view a, std::string_view b) {
  std::vector<Index> previous(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<Index> current{static_cast<Index>(i) + 1};
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Index substituted = previous[j] + (a[i] == b[j] ? 0 : 1);
      current.push_back(std::min({substituted, previous[j + 1] + 1, current[j] + 1}));
    }
    previous = std::move(current);
  }
  return previous.back();
}

// U+202A ... U+202E and U+2066 ... U+2069.
bool turns_direction(std::string_view character) {
  return (character >= "\xE2\x80\xAA" && character <= "\xE2\x80\xAE") ||
         (character >= "\xE2\x81\xA6" && character <= "\xE2\x81\xA9");
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t cut = text.find(separator);
    parts.emplace_back(trim(text.substr(0, cut)));
    if (cut == std::string_view::npos) return parts;
    text.remove_prefix(cut + 1);
  }
}

std::string closest_match(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  // Who stops typing means what goes on from there, however long it is: --target-acc.
  constexpr std::size_t enough_to_tell = 4;
  for (const std::string& candidate : candidates) {
    if (word.size() < enough_to_tell || !candidate.starts_with(word)) continue;
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  if (!best.empty()) return best;
  Index best_distance = std::max<Index>(2, static_cast<Index>(word.size()) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const Index distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string with_thousands(Index value) {
  std::string digits = std::to_string(value);
  const std::size_t first_digit = value < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first_digit + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += words[i] + (i + 2 < words.size() ? ", " : i + 2 == words.size() ? " and " : "");
  return text;
}

std::string human_bytes(double bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, units[unit]);
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (length == 2 && character < "\xC2\xA0") {  // U+0080 ... U+009F
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[1]));
    } else if (turns_direction(character)) {
      out +=
          fmt::format("\\u20{:02x}", static_cast<unsigned char>(text[2]) - 0x80 +
                                         (static_cast<unsigned char>(text[1]) == 0x81 ? 0x40 : 0));
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

Index display_width(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace assay
