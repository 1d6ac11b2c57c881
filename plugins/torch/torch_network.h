#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "assay/net/plugin.h"

namespace assay::plugin {

// A TorchScript module made ready for inference. Each output is a method of it that takes the
// images and returns one tensor.
class TorchNetwork {
 public:
  explicit TorchNetwork(const AssayPluginRequest& request);

  struct Output {
    std::string name;    // "features", "logits" or the method's own
    std::string method;  // "forward"
  };
  const std::vector<Output>& outputs() const { return outputs_; }

  // Images x dim, contiguous floats.
  at::Tensor forward(const AssayPluginBatch& batch, int64_t output) const;

 private:
  torch::jit::Module module_;
  std::vector<Output> outputs_;
};

// What a libtorch exception says to a user: without its backtrace.
std::string plain_message(const std::exception& thrown);

}  // namespace assay::plugin
