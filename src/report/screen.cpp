#include "report/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/text.h"

namespace assay {
namespace {

constexpr int kNarrowest = 40;

// A number in COLUMNS is what the user wants, whatever the terminal says.
int columns_of(int columns, const std::string& wanted) {
  int value = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto [stop, code] = std::from_chars(wanted.data(), end, value);
  const bool number = code == std::errc() && stop == end && value > 0;
  return number ? value : columns;
}

// The first of the three that is set decides, as in the C library.
bool shows_unicode(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::ranges::transform(value, value.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return value.find("UTF-8") != std::string::npos || value.find("UTF8") != std::string::npos;
  }
  return false;
}

}  // namespace

Screen terminal_screen(int columns, const Environment& environment) {
  const bool plain = environment("TERM") == "dumb";
  const int width = columns_of(columns, environment("COLUMNS"));
  return {.width = width > 0 ? std::max(width, kNarrowest) : 0,
          .color = environment("NO_COLOR").empty() && !plain,
          .bars = shows_unicode(environment) && !plain};
}

Screen stdout_screen() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return terminal_screen(known ? size.ws_col : 0, [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
}

std::string for_terminal(std::string_view text) {
  constexpr std::array<std::string_view, 6> pass = {"\n", "\t", kBold, kFaint, kAccent, kPlain};
  std::string out;
  while (!text.empty()) {
    const auto* const known = std::ranges::find_if(
        pass, [&](std::string_view sequence) { return text.starts_with(sequence); });
    if (known != pass.end()) {
      out += *known;
      text.remove_prefix(known->size());
      continue;
    }
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    out += printable(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string share_bar(double share, int width) {
  constexpr std::array<const char*, 8> parts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double shown = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const auto eighths = static_cast<int>(std::lround(8.0 * width * shown));
  std::string bar;
  for (int k = 0; k < eighths / 8; ++k) bar += "█";
  return bar + parts[static_cast<std::size_t>(eighths % 8)];
}

}  // namespace assay
