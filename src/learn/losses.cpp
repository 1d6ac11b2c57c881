#include "learn/losses.h"

#include <cassert>
#include <cmath>

namespace assay {

LossGradient cross_entropy(const Matrix& logits, std::span<const Label> labels) {
  const Index count = logits.cols();
  assert(static_cast<Index>(labels.size()) == count);
  LossGradient out{0.0, Matrix(logits.rows(), count)};
  for (Index i = 0; i < count; ++i) {
    const Label label = labels[static_cast<std::size_t>(i)];
    const double largest = logits.col(i).maxCoeff();
    const Vector powers = (logits.col(i).array() - largest).exp();
    const double sum = powers.sum();
    out.loss += std::log(sum) + largest - logits(label, i);
    out.gradient.col(i) = powers / sum;
    out.gradient(label, i) -= 1.0;
  }
  out.loss /= static_cast<double>(count);
  out.gradient /= static_cast<double>(count);
  return out;
}

// log(1 + e^-|x|) + max(x, 0) - x y does not overflow.
LossGradient binary_cross_entropy(const Matrix& logits, const Matrix& targets) {
  assert(logits.rows() == targets.rows() && logits.cols() == targets.cols());
  const auto numbers = static_cast<double>(logits.size());
  const auto x = logits.array();
  LossGradient out{0.0, Matrix(logits.rows(), logits.cols())};
  out.loss = ((-x.abs()).exp().log1p() + x.cwiseMax(0.0) - x * targets.array()).sum() / numbers;
  out.gradient = ((1.0 + (-x).exp()).inverse() - targets.array()) / numbers;
  return out;
}

LossGradient mean_squared_error(const Matrix& outputs, const Matrix& targets) {
  assert(outputs.rows() == targets.rows() && outputs.cols() == targets.cols());
  const auto numbers = static_cast<double>(outputs.size());
  LossGradient out{0.0, outputs - targets};
  out.loss = out.gradient.squaredNorm() / numbers;
  out.gradient *= 2.0 / numbers;
  return out;
}

}  // namespace assay
