#include "learn/gram_preconditioner.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "linalg/cholesky.h"

namespace assay {

GramPreconditioner::GramPreconditioner(ThreadPool& pool, const FloatMatrix& z, bool orthogonal)
    : pool_(pool), diagonal_(orthogonal), squares_(z.cast<double>().rowwise().squaredNorm()) {
  if (diagonal_) return;
  gram_ = Matrix::Zero(z.rows(), z.rows());
  const GramUpdate<float> update{z.data(), z.cols(), &gram_};
  add_to_grams(pool, std::span<const GramUpdate<float>>(&update, 1));
}

void GramPreconditioner::set(double weight, double ridge) {
  set_ = (weight * squares_.array() + ridge).inverse().cast<float>();
  if (diagonal_) return;
  // Products in float may leave a matrix that is not quite positive: its diagonal then serves.
  Matrix shifted = weight * gram_;
  shifted.diagonal().array() += ridge;
  const std::optional<Matrix> factor = cholesky(std::move(shifted));
  factor_ = factor ? FloatMatrix(factor->cast<float>()) : FloatMatrix();
}

FloatMatrix GramPreconditioner::apply(const FloatMatrix& gradient) const {
  if (factor_.size() == 0) return set_.asDiagonal() * gradient;
  constexpr Index width = 128;
  FloatMatrix out(gradient.rows(), gradient.cols());
  pool_.run((gradient.cols() + width - 1) / width, [&](Index task) {
    const Index first = task * width;
    const Index count = std::min(width, gradient.cols() - first);
    out.middleCols(first, count) = solve_lower_transposed(
        factor_, solve_lower(factor_, FloatMatrix(gradient.middleCols(first, count))));
  });
  return out;
}

}  // namespace assay
