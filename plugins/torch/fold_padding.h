#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

namespace assay::plugin {

// Moves padding by zeros into the convolution that follows it, for images of one size.
//
// Networks from TensorFlow pad by amounts they work out from the size of each layer's input. oneDNN
// pads for nothing inside a convolution; a step of its own, with a copy out of oneDNN's memory
// layout and back, takes half of the time of such a network. The amounts are found by running the
// graph; those that depend on the number of images stay as they are. Padding that is one larger
// below or right becomes the larger amount on both sides and a leading row or column of zeros in
// the weights: the same sums.
//
// `program` is frozen and changed in place: afterwards it is right for the height and width of
// `images` alone.
void fold_padding(torch::jit::Module& program, const at::Tensor& images);

}  // namespace assay::plugin
