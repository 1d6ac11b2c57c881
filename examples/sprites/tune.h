#pragma once

#include <cstdint>
#include <string>

#include "assay/images.h"

namespace sprites {

// Fine-tunes a network (the bytes of a TorchScript file) with a new linear head for one data set of
// sprites, all weights together, on the calling thread alone. Returns what it is worth on the test
// part: the share of right answers for classes, for numbers the share of their variance that is
// explained (R^2, below 0 if the mean of the training part would have been the better answer).
// (libtorch stays behind this header.)
double fine_tuned(const std::string& torchscript, const assay::ImageData& data, assay::Index epochs,
                  std::uint64_t seed);

}  // namespace sprites
