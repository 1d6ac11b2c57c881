#pragma once

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "assay/plugin.h"

namespace assay::plugin {

// A TorchScript module. Each output is a method of it that takes the images and returns one tensor.
class TorchNetwork {
 public:
  explicit TorchNetwork(const AssayPluginRequest& request);

  struct Output {
    std::string name;    // "features", "logits" or the method's own
    std::string method;  // "forward"
  };
  const std::vector<Output>& outputs() const { return outputs_; }

  // Images x dim contiguous floats for each of the outputs wanted.
  std::vector<at::Tensor> forward(const AssayPluginBatch& batch,
                                  const std::vector<int64_t>& wanted);

 private:
  using Module = torch::jit::Module;
  using Key = std::tuple<std::vector<int64_t>, int64_t, int64_t>;  // outputs, height, width
  Module program_for(const std::vector<int64_t>& wanted, const at::Tensor& images);

  Module module_;
  std::vector<Output> outputs_;
  std::mutex mutex_;
  std::map<Key, Module> programs_;  // made when first wanted
};

// The module in a TorchScript file, on the CPU. Throws std::runtime_error for anything else.
torch::jit::Module load_module(const char* file);

// The method that gives the features. Throws std::runtime_error when there is no such method.
std::string feature_method(const torch::jit::Module& module, const AssayPluginRequest& request);

// Threads of libtorch for passes on the calling thread. OpenMP counts them per calling thread, so
// each has to say it; saying it again costs nothing.
void use_threads(int count);

// What a libtorch exception says to a user: without its backtrace.
std::string plain_message(const std::exception& thrown);

}  // namespace assay::plugin
