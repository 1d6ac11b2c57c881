#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace sprites {

// Adam (Kingma and Ba, 2015) with its usual constants. torch::optim's comes with headers that take
// longer to compile than all of this example.
class Adam {
 public:
  explicit Adam(std::vector<at::Tensor> parameters);

  void step(double rate);  // by the gradients that a backward pass has left; they are cleared

 private:
  std::vector<at::Tensor> parameters_, means_, squares_;
  double mean_weight_ = 1.0;    // 0.9^t
  double square_weight_ = 1.0;  // 0.999^t
};

}  // namespace sprites
