#pragma once

#include <c10/util/Exception.h>
#include <torch/version.h>

#include <string>

namespace assay::plugin {

// Drops one of libtorch's warnings on this thread while it lives; others go where they went.
//
// Networks made fast hold images in blocks of 16 channels. libtorch's own clamp (ReLU6) of such an
// image names an output as large as the blocks for an input of the channels there are, and says of
// that output, layer by layer and batch by batch, that it "was resized": to less, so that nothing
// moves and the numbers are right (tests/net compares them with PyTorch's).
class QuietResizing {
  static bool is_known(const std::string& message) {
    return message.rfind("An output with one or more elements was resized", 0) == 0;
  }

#if TORCH_VERSION_MAJOR >= 2
  class Handler : public c10::WarningHandler {
   public:
    explicit Handler(c10::WarningHandler* others) : others_(others) {}
    void process(const c10::Warning& warning) override {
      if (!is_known(warning.msg())) others_->process(warning);
    }

   private:
    c10::WarningHandler* others_;
  };
  Handler handler_{c10::WarningUtils::get_warning_handler()};
  c10::WarningUtils::WarningHandlerGuard guard_{&handler_};
#else
  class Handler : public c10::WarningHandler {
   public:
    explicit Handler(c10::WarningHandler* others) : others_(others) {}
    void process(const c10::SourceLocation& where, const std::string& message,
                 const bool verbatim) override {
      if (!is_known(message)) others_->process(where, message, verbatim);
    }

   private:
    c10::WarningHandler* others_;
  };
  Handler handler_{c10::Warning::get_warning_handler()};
  c10::Warning::WarningHandlerGuard guard_{&handler_};
#endif
};

}  // namespace assay::plugin
