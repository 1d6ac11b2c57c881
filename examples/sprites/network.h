#pragma once

#include <torch/csrc/jit/api/module.h>

#include "core/random.h"
#include "plan.h"

namespace sprites {

// Numbers of mean 0 and this deviation that learn.
at::Tensor random_weights(assay::Random& random, at::IntArrayRef shape, double deviation);

// A convolutional network as TorchScript: forward(x) gives features and, where the pretext has
// classes, logits(x) = head(forward(x)). Modules of torch::nn cannot be saved as TorchScript; this
// one has parameters and a script and can be trained and saved alike.
torch::jit::Module make_network(const Plan& plan, assay::Random& random);

}  // namespace sprites
