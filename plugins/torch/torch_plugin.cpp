#include <c10/util/Exception.h>
#include <torch/csrc/api/include/torch/version.h>

#include <memory>
#include <string>

#include "../plugin_guard.h"
#include "torch_network.h"
#include "trainer_table.h"

namespace {

using assay::plugin::guarded;
using assay::plugin::plain_message;
using assay::plugin::TorchNetwork;

// What libtorch warns of is for those who write networks, and it may do so for every batch (of a
// buffer it resized, say); who runs one can do nothing about it. Handlers are a thread's own.
class NoWarnings final : public c10::WarningHandler {
  void process(const c10::SourceLocation& /*where*/, const std::string& /*message*/,
               bool /*verbatim*/) override {}
};

class WithoutWarnings {
 public:
  WithoutWarnings() : guard_(&none()) {}

 private:
  static NoWarnings& none() {
    static NoWarnings handler;
    return handler;
  }
  c10::Warning::WarningHandlerGuard guard_;
};

const TorchNetwork& network_of(const void* network) {
  return *static_cast<const TorchNetwork*>(network);
}

void* open(const AssayPluginRequest* request, char* error, size_t error_size) {
  return guarded<void*>(nullptr, error, error_size, plain_message, [&] {
    const WithoutWarnings quiet;
    return new TorchNetwork(*request);
  });
}

int64_t output_count(const void* network) {
  return static_cast<int64_t>(network_of(network).outputs().size());
}

const char* output_name(const void* network, int64_t output) {
  return network_of(network).outputs()[static_cast<std::size_t>(output)].name.c_str();
}

int64_t output_dim(const void* /*network*/, int64_t /*output*/) { return 0; }

int32_t forward(void* network, const AssayPluginBatch* batch, const int64_t* outputs, int64_t count,
                AssayPluginReceive receive, void* context, char* error, size_t error_size) {
  return guarded<int32_t>(1, error, error_size, plain_message, [&] {
    const WithoutWarnings quiet;
    const std::vector<at::Tensor> values = static_cast<TorchNetwork*>(network)->forward(
        *batch, std::vector<int64_t>(outputs, outputs + count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      receive(context, static_cast<int64_t>(i), values[i].data_ptr<float>(), values[i].size(1));
    }
    return 0;
  });
}

void close(void* network) { delete static_cast<TorchNetwork*>(network); }

constexpr AssayPlugin kPlugin = {ASSAY_PLUGIN_VERSION,
                                 "torchscript",
                                 "libtorch " TORCH_VERSION,
                                 open,
                                 output_count,
                                 output_name,
                                 output_dim,
                                 forward,
                                 close,
                                 &assay::plugin::kTrainerTable};

}  // namespace

extern "C" __attribute__((visibility("default"))) const AssayPlugin* assay_plugin(void) {
  return &kPlugin;
}
