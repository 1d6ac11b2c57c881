#pragma once

#include <span>
#include <vector>

#include "assay/learning.h"
#include "assay/types.h"

namespace assay {

// Kingma and Ba's Adam as PyTorch has it: with g the gradient and t the number of the step,
//
//     m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2
//     p -= rate / (1 - b1^t) * m / (sqrt(v / (1 - b2^t)) + epsilon)
//
// Everything in one pass over the memory, which is what limits it. T is float or double.
template <typename T>
class Adam {
 public:
  Adam(Index parameters, const AdamOptions& options);

  void step(std::span<T> parameters, std::span<const T> gradient);

 private:
  AdamOptions options_;
  Index steps_ = 0;
  std::vector<T> mean_;
  std::vector<T> square_;
};

}  // namespace assay
