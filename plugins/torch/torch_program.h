#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

namespace assay::plugin {

// A module whose forward(x) is the tuple of these methods of `network`, all on the same images.
torch::jit::Module tuple_of_methods(const torch::jit::Module& network,
                                    const std::vector<std::string>& methods);

// The same program made fast for inference: weights become constants, BatchNorm part of the
// convolutions, what several methods share is computed once, and oneDNN chooses memory layouts. The
// result is for images of this height and width. Throws what libtorch throws for modules that
// cannot be frozen (that write to their attributes).
torch::jit::Module made_fast(const torch::jit::Module& program, const at::Tensor& images);

// `network` with another head: forward(x) is its method's features, head(f) = f weight' + bias,
// logits(x) = head(forward(x)); the attributes feature_dim and num_classes say their sizes.
torch::jit::Module with_head(const torch::jit::Module& network, const std::string& method,
                             const at::Tensor& weight, const at::Tensor& bias);

}  // namespace assay::plugin
