#include "adam.h"

#include <ATen/ops/sqrt.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace sprites {

Adam::Adam(std::vector<at::Tensor> parameters) : parameters_(std::move(parameters)) {
  const c10::NoGradGuard no_gradients;
  for (const at::Tensor& parameter : parameters_) {
    means_.push_back(at::zeros_like(parameter));
    squares_.push_back(at::zeros_like(parameter));
  }
}

void Adam::step(double rate) {
  const c10::NoGradGuard no_gradients;
  mean_weight_ *= 0.9;
  square_weight_ *= 0.999;
  const double root = std::sqrt(1.0 - square_weight_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) continue;
    means_[i].mul_(0.9).add_(gradient, 0.1);
    squares_[i].mul_(0.999).addcmul_(gradient, gradient, 0.001);
    const at::Tensor scale = at::sqrt(squares_[i]).div_(root).add_(1e-8);
    parameters_[i].addcdiv_(means_[i], scale, -rate / (1.0 - mean_weight_));
    gradient = at::Tensor();
  }
}

}  // namespace sprites
