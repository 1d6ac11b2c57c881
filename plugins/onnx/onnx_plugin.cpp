#include <algorithm>

#include "../plugin_guard.h"
#include "onnx_network.h"

namespace {

using assay::plugin::guarded;
using assay::plugin::OnnxNetwork;

const OnnxNetwork& network_of(const void* network) {
  return *static_cast<const OnnxNetwork*>(network);
}

// ONNX Runtime lists what does not fit line by line.
std::string plain_message(const std::exception& thrown) {
  std::string text = thrown.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void* open(const AssayPluginRequest* request, char* error, size_t error_size) {
  return guarded<void*>(nullptr, error, error_size, plain_message,
                        [&] { return new OnnxNetwork(*request); });
}

int64_t output_count(const void* network) {
  return static_cast<int64_t>(network_of(network).outputs().size());
}

const char* output_name(const void* network, int64_t output) {
  return network_of(network).outputs()[static_cast<std::size_t>(output)].name.c_str();
}

int64_t output_dim(const void* network, int64_t output) {
  return network_of(network).outputs()[static_cast<std::size_t>(output)].dim;
}

int32_t forward(void* network, const AssayPluginBatch* batch, const int64_t* outputs, int64_t count,
                AssayPluginReceive receive, void* context, char* error, size_t error_size) {
  return guarded<int32_t>(1, error, error_size, plain_message, [&] {
    const std::vector<std::vector<float>> values =
        network_of(network).forward(*batch, std::vector<int64_t>(outputs, outputs + count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      receive(context, static_cast<int64_t>(i), values[i].data(),
              static_cast<int64_t>(values[i].size()) / batch->count);
    }
    return 0;
  });
}

void close(void* network) { delete static_cast<OnnxNetwork*>(network); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const AssayPlugin* assay_plugin(void) {
  static const std::string library = "ONNX Runtime " + assay::plugin::onnxruntime_version();
  static const AssayPlugin plugin = {
      ASSAY_PLUGIN_VERSION, "onnx",     library.c_str(), open,  output_count,
      output_name,          output_dim, forward,         close,
      /*trainer=*/nullptr};
  return &plugin;
}
