#include "assay/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace assay {

void fail_input(const std::string& message) { throw Error(ErrorCode::bad_input, message); }

void fail_system(const std::string& path, const std::string& action) {
  const std::string reason = std::generic_category().message(errno);
  throw Error(ErrorCode::io, fmt::format("{}: cannot {}: {}", path, action, reason));
}

}  // namespace assay
