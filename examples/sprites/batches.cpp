#include "batches.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw.h"
#include "plan.h"

namespace sprites {

using assay::Index;

at::Tensor network_input(std::span<const std::uint8_t> images) {
  const Index count = static_cast<Index>(images.size()) / kImageBytes;
  return at::from_blob(const_cast<std::uint8_t*>(images.data()),  // read only
                       {count, kSide, kSide, kChannels}, at::kByte)
      .permute({0, 3, 1, 2})
      .to(at::kFloat)
      .div_(255.0 * kPixelDeviation)
      .sub_(kPixelMean / kPixelDeviation)
      .contiguous();
}

void in_batches(Index images, Index epochs, assay::Random& random,
                const std::function<void(const at::Tensor& rows, double rate)>& step) {
  constexpr double kRate = 3e-3;
  const Index batch = std::min<Index>(32, images);
  const Index steps = epochs * (images / batch);
  for (Index done = 0, epoch = 0; epoch < epochs; ++epoch) {
    const at::Tensor order = at::tensor(random.permutation(images), at::kLong);
    for (Index start = 0; start + batch <= images; start += batch, ++done) {
      const double share = static_cast<double>(done) / static_cast<double>(steps);
      step(order.slice(0, start, start + batch),
           kRate * (1.0 + std::cos(std::numbers::pi * share)) / 2.0);
    }
  }
}

}  // namespace sprites
