#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>

#include "assay/types.h"
#include "core/random.h"

namespace sprites {

// Images (kImageBytes each) as the networks of this hub take them; hub.json says the same. The
// result is n x 3 x kSide x kSide.
at::Tensor network_input(std::span<const std::uint8_t> images);

// Goes `epochs` times through `images` rows, in another order each time, and calls
// step(rows of a batch, learning rate). The rate falls to nothing along half a cosine.
void in_batches(assay::Index images, assay::Index epochs, assay::Random& random,
                const std::function<void(const at::Tensor& rows, double rate)>& step);

}  // namespace sprites
