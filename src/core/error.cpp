#include "assay/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kLongestMessage = 8000;

// A message may quote what a file holds: zero bytes would end it early, megabytes bury it.
std::string presentable(std::string_view message) {
  std::string out;
  while (!message.empty() && out.size() < kLongestMessage) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(message));
    if (message.front() == '\0')
      out += "\\0";
    else
      out += message.substr(0, length);
    message.remove_prefix(length);
  }
  if (!message.empty())
    out += fmt::format(" ... ({} more bytes)", with_thousands(std::ssize(message)));
  return out;
}

}  // namespace

void fail_input(const std::string& message) {
  throw Error(ErrorCode::bad_input, presentable(message));
}

void fail_system(const std::string& path, const std::string& action) {
  const std::string reason = std::generic_category().message(errno);
  throw Error(ErrorCode::io, fmt::format("{}: cannot {}: {}", path, action, reason));
}

}  // namespace assay
