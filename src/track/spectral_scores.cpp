#include "track/spectral_scores.h"

#include <algorithm>
#include <cmath>

#include "prior/alpha_req.h"
#include "prior/effective_rank.h"

namespace assay {

RowScore rankme_of_rows(const RowAxes& axes) {
  constexpr double smallest = 1e-7;  // of effective_rank
  const Vector roots = axes.spectrum.cwiseSqrt();
  RowScore out{effective_rank(roots), Vector::Zero(axes.squares.cols())};
  const double sum = roots.sum();
  if (!(sum > 0.0)) return out;
  const Vector p = roots / sum;
  const Vector h = -((p.array() + smallest).log() + 1.0);
  const double mean = p.dot(h);
  Vector slope = Vector::Zero(axes.squares.rows());
  for (Index j = 0; j < slope.size(); ++j)
    slope[j] = out.value * (h[j] - mean) / (2.0 * sum * roots[j]);
  out.contributions = axes.squares.transpose() * slope;
  return out;
}

std::optional<RowScore> alpha_req_of_rows(const RowAxes& axes) {
  const std::optional<double> value = power_law_decay(axes.spectrum);
  if (!value) return {};
  // The coefficient of log l_j is what the decay becomes when that logarithm grows by one.
  constexpr Index most = 100;
  const Index fitted = std::min(most, axes.squares.rows());
  Vector slope = Vector::Zero(axes.squares.rows());
  Vector shifted = axes.spectrum;
  constexpr double step = 1e-4;
  for (Index j = 0; j < fitted; ++j) {
    shifted[j] = axes.spectrum[j] * std::exp(step);
    const std::optional<double> moved = power_law_decay(shifted);
    shifted[j] = axes.spectrum[j];
    if (moved) slope[j] = (*moved - *value) / step / axes.spectrum[j];
  }
  return RowScore{*value, axes.squares.transpose() * slope};
}

}  // namespace assay
