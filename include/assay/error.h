#pragma once

#include <stdexcept>
#include <string>

namespace assay {

// What kind of thing went wrong; Python maps these to ValueError, KeyError, OSError.
enum class ErrorCode {
  bad_input,  // a file or value does not say what it must
  unknown,    // a name that does not exist: metric, model, option value
  io,         // the operating system refused
  too_large,  // does not fit the memory limit
};

// The one exception of the library, thrown by reading, parsing and validating
// only. What data does to the mathematics (no convergence, rank 0) is a flag of
// the result, never an exception.
//
// Messages name the thing at fault, what was expected, what was found and what
// to do; lower case, no final period.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

[[noreturn]] void fail_input(const std::string& message);

// "features.npy: open: No such file or directory", from errno.
[[noreturn]] void fail_system(const std::string& path, const std::string& action);

}  // namespace assay
