#include "variational.h"

#include <cmath>

namespace assay {
namespace {

// Scores below a class's largest by more than this count as this: a sample that gives nothing to
// the best source classes would otherwise be left with exponentials that all vanish.
constexpr double kLowestScore = -600.0;

}  // namespace

Assignment assign(const Probabilities& source, const Matrix& scores) {
  const Vector top = scores.rowwise().maxCoeff();
  const Matrix relative = (scores.colwise() - top).cwiseMax(kLowestScore);
  const Matrix factor = relative.array().exp();
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
  for (Index i = 0; i < source.count(); ++i) out.entropy -= std::log(normaliser[i]);
  out.entropy += out.counts.cwiseProduct(relative).sum();  // `top` cancels: q sums to 1
  return out;
}

bool wants_another_sweep(VariationalBound& bound, double value) {
  constexpr double tolerance = 1e-12;
  constexpr int most = 10000;
  bound.converged =
      bound.sweeps > 0 && std::abs(value - bound.value) <= tolerance * std::abs(bound.value);
  bound.value = value;
  bound.trace.push_back(value);
  ++bound.sweeps;
  return !bound.converged && bound.sweeps < most;
}

}  // namespace assay
