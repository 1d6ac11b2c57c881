#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "assay/plugin.h"

namespace assay::plugin {

// A TorchScript module with gradients: one batch at a time goes forward, the gradient of its
// features back.
class TorchTrainer {
 public:
  TorchTrainer(const AssayPluginRequest& request, int threads);

  struct NamedTensor {
    std::string name;  // "conv1.weight"
    at::Tensor value;
  };
  // Of kind ASSAY_PARAMETERS or ASSAY_BUFFERS. Tensors that share memory are listed once.
  const std::vector<NamedTensor>& tensors(int kind) const {
    return kind == ASSAY_PARAMETERS ? parameters_ : buffers_;
  }

  void get(int kind, float* values) const;
  void set(int kind, const float* values);

  // Images x dim contiguous floats.
  at::Tensor forward(const AssayPluginBatch& batch, int purpose);
  void backward(const float* feature_gradient, const AssayPluginGradients& gradients);

  // A TorchScript file.
  std::string saved(const AssayPluginHead* head);

 private:
  int threads_;
  torch::jit::Module module_;
  std::string method_;  // that gives the features
  bool training_ = false;
  std::vector<NamedTensor> parameters_;
  std::vector<NamedTensor> buffers_;
  at::Tensor images_;    // of the latest forward pass
  at::Tensor features_;  // with its graph; undefined when there is none
};

}  // namespace assay::plugin
