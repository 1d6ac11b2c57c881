#include "terminal_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>

#include "core/clock.h"
#include "core/text.h"

namespace assay::cli {
namespace {

std::string clock_text(double seconds) {
  const long whole = std::max(0L, std::lround(seconds));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

TerminalProgress::TerminalProgress(bool quiet, LivePage page)
    : enabled_(!quiet && isatty(STDERR_FILENO) != 0),
      page_(std::move(page)),
      exceptions_(std::uncaught_exceptions()),
      started_(monotonic_seconds()) {}

TerminalProgress::~TerminalProgress() {
  clear();
  if (std::uncaught_exceptions() > exceptions_) page_.stop();
}

ProgressCallback TerminalProgress::callback() {
  if (!enabled_ && !page_.wanted()) return {};
  return [this](double done, const std::string& what) { show(done, what); };
}

void TerminalProgress::show(double done, const std::string& what) {
  const double now = monotonic_seconds();
  const double elapsed = now - started_;
  page_.show(done, what, elapsed);
  if (!enabled_ || elapsed < 2.0 || now - last_shown_ < 0.1) return;
  last_shown_ = now;
  const double left = done > 0.0 ? elapsed * (1.0 - done) / done : 0.0;
  const std::string eta = done > 0.01 ? fmt::format("{} left", clock_text(left)) : "estimating";
  constexpr int width = 24;
  const int full = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
  fmt::print(stderr, "\r\x1b[K{:3.0f}% [{}{}] {}  {}", 100.0 * done, std::string(full, '='),
             std::string(width - full, ' '), eta, printable(what));
  std::fflush(stderr);
  visible_ = true;
}

void TerminalProgress::clear() const {
  if (!visible_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace assay::cli
