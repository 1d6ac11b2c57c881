#include "variational.h"

#include <cmath>

namespace assay {

Assignment assign(const Probabilities& source, const Matrix& scores) {
  // A class's largest score is taken out before exponentials are: they cannot all vanish.
  const Vector top = scores.rowwise().maxCoeff();
  const Matrix factor = (scores.colwise() - top).array().exp();
  Vector normaliser = Vector::Zero(source.count());
  const auto label = [&](Index i) { return source.labels[static_cast<std::size_t>(i)]; };
  for (Index z = 0; z < source.p.cols(); ++z) {
    for (Index i = 0; i < source.count(); ++i)
      normaliser[i] += source.p(i, z) * factor(label(i), z);
  }
  const Vector inverse = normaliser.cwiseInverse();
  Assignment out{Matrix::Zero(scores.rows(), scores.cols()), 0.0};
  for (Index z = 0; z < source.p.cols(); ++z) {
    for (Index i = 0; i < source.count(); ++i)
      out.counts(label(i), z) += source.p(i, z) * inverse[i];
  }
  out.counts = out.counts.cwiseProduct(factor);
  for (Index i = 0; i < source.count(); ++i) out.entropy -= std::log(normaliser[i]) + top[label(i)];
  // 0 times a score of minus infinity counts as nothing.
  for (Index z = 0; z < scores.cols(); ++z) {
    for (Index y = 0; y < scores.rows(); ++y) {
      if (out.counts(y, z) > 0.0) out.entropy += out.counts(y, z) * scores(y, z);
    }
  }
  return out;
}

}  // namespace assay
