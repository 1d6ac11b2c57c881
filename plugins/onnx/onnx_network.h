#pragma once

#include <onnxruntime_c_api.h>

#include <memory>
#include <string>
#include <vector>

#include "assay/net/plugin.h"

namespace assay::plugin {

// Frees what ONNX Runtime hands out.
struct OrtDeleter {
  void operator()(OrtSession* session) const;
  void operator()(OrtSessionOptions* options) const;
  void operator()(OrtMemoryInfo* memory) const;
  void operator()(OrtTypeInfo* info) const;
  void operator()(OrtTensorTypeAndShapeInfo* info) const;
  void operator()(OrtValue* value) const;
};
template <typename T>
using OrtOwned = std::unique_ptr<T, OrtDeleter>;

// An ONNX graph with one input, the images, and any number of outputs of float32.
class OnnxNetwork {
 public:
  explicit OnnxNetwork(const AssayPluginRequest& request);

  struct Output {
    std::string name;        // "features", "logits" or the graph's own
    std::string graph_name;  // as in the file
    int64_t dim;             // numbers per image, 0 when the graph leaves it open
  };
  const std::vector<Output>& outputs() const { return outputs_; }

  // Count x dim values of each output asked for, in that order.
  std::vector<std::vector<float>> forward(const AssayPluginBatch& batch,
                                          const std::vector<int64_t>& wanted) const;

 private:
  void read_input();
  std::vector<Output> graph_outputs() const;
  void append(const AssayPluginBatch& part, const std::vector<const char*>& names,
              std::vector<std::vector<float>>& values) const;

  OrtOwned<OrtSession> session_;
  OrtOwned<OrtMemoryInfo> memory_;
  std::string input_;
  int64_t fixed_batch_ = 0;  // images per run when the graph insists, else 0
  std::vector<Output> outputs_;
};

// "1.21.0" of the library that was loaded.
std::string onnxruntime_version();

}  // namespace assay::plugin
