#pragma once

#include <c10/util/Exception.h>
#include <torch/version.h>

#include <string>

namespace assay::plugin {

// Notices, on this thread and while it lives, libtorch's warning that an output was resized, and
// keeps it off the terminal; other warnings go where they went.
//
// Networks made fast hold images in blocks of 16 channels. Where the channels do not fill the
// blocks, libtorch's own clamp (ReLU6) of such an image counts the numbers of its input without the
// padding and those of its output with it, resizes the output and leaves the rest of the batch as
// it was: the warning is the only sign that features are wrong.
class ResizeWatch {
 public:
  bool seen() const { return handler_.seen; }

 private:
  struct Handler : public c10::WarningHandler {
    explicit Handler(c10::WarningHandler* handler) : others(handler) {}
#if TORCH_VERSION_MAJOR >= 2
    void process(const c10::Warning& warning) override {
      if (!noticed(warning.msg())) others->process(warning);
    }
#else
    void process(const c10::SourceLocation& where, const std::string& message,
                 const bool verbatim) override {
      if (!noticed(message)) others->process(where, message, verbatim);
    }
#endif
    bool noticed(const std::string& message) {
      const bool known = message.rfind("An output with one or more elements was resized", 0) == 0;
      seen = seen || known;
      return known;
    }

    c10::WarningHandler* others;
    bool seen = false;
  };

#if TORCH_VERSION_MAJOR >= 2
  Handler handler_{c10::WarningUtils::get_warning_handler()};
  c10::WarningUtils::WarningHandlerGuard guard_{&handler_};
#else
  Handler handler_{c10::Warning::get_warning_handler()};
  c10::Warning::WarningHandlerGuard guard_{&handler_};
#endif
};

}  // namespace assay::plugin
