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

LossGradient mean_squared_error(const Matrix& outputs, const Matrix& targets) {
  assert(outputs.rows() == targets.rows() && outputs.cols() == targets.cols());
  const auto numbers = static_cast<double>(outputs.size());
  LossGradient out{0.0, outputs - targets};
  out.loss = out.gradient.squaredNorm() / numbers;
  out.gradient *= 2.0 / numbers;
  return out;
}

}  // namespace assay
