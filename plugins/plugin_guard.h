#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>

namespace assay::plugin {

inline void write_error(const std::string& message, char* error, std::size_t size) {
  std::snprintf(error, size, "%s", message.c_str());
}

// Runs `action`; what it throws becomes a message and `failure` is returned: no exception may leave
// a plug-in.
template <typename Result, typename Action, typename Describe>
Result guarded(Result failure, char* error, std::size_t size, const Describe& describe,
               const Action& action) {
  try {
    return action();
  } catch (const std::exception& thrown) {
    write_error(describe(thrown), error, size);
  } catch (...) {
    write_error("unknown failure", error, size);
  }
  return failure;
}

}  // namespace assay::plugin
