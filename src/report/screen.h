#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace assay {

// Where a table is to be read. As it stands: a file or a pipe, where nothing is cut or coloured.
struct Screen {
  int width = 0;       // columns; 0: no limit
  bool color = false;  // a terminal, NO_COLOR not set
  bool bars = false;   // a terminal that shows Unicode
};

// A variable of the environment; empty when it is not set.
using Environment = std::function<std::string(const char*)>;

// The screen of a terminal that says it has `columns` (0: it does not say), given the environment:
// COLUMNS, NO_COLOR (no-color.org), TERM, and LC_ALL, LC_CTYPE or LANG for UTF-8.
Screen terminal_screen(int columns, const Environment& environment);

// What a terminal is told to change how it writes; each ends with kPlain.
inline constexpr const char* kBold = "\x1b[1m";
inline constexpr const char* kFaint = "\x1b[2m";
inline constexpr const char* kAccent = "\x1b[1;36m";
inline constexpr const char* kPlain = "\x1b[0m";

// The screen on stdout.
Screen stdout_screen();

// A share between 0 and 1 as a bar of `width` columns, in eighths of one.
std::string share_bar(double share, int width);

// Text on its way to a terminal: line ends, tabs and the colours of our own tables pass, all else
// that a terminal would obey is shown instead (core/text.h, printable).
std::string for_terminal(std::string_view text);

}  // namespace assay
