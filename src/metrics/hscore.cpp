#include "metrics/hscore.h"

#include <cmath>

#include "metrics/class_projections.h"

namespace assay {
namespace {

// Rounding that a reader of six digits would see.
constexpr double kVisible = 1e-6;

}  // namespace

// Bao et al., ICIP 2019: tr(S^+ S_b) = sum_c |P 1_c|^2 / n_c. The number of classes present less
// one is the rank of S_b and so the largest value there is.
Score hscore(const Problem& problem) {
  Score score;
  const ClassProjections projections = class_projections(problem);
  const Vector& counts = problem.target_sums();
  for (Index c = 0; c < counts.size(); ++c) {
    if (counts[c] > 0.0) score.value += projections.squares[c] / counts[c];
  }
  // P is then everything but the constant, whatever the labels: C - 1 comes from n alone.
  if (projections.rank + 1 >= problem.count()) score.flags.emplace_back("saturated");
  score.error = projections.error;
  if (problem.reduced().ill_scaled ||
      (std::isfinite(score.error) && score.error > kVisible * std::max(1.0, score.value))) {
    score.flags.emplace_back("ill_scaled");
  }
  score.details = {{"rank", static_cast<double>(problem.reduced().rank)}};
  return score;
}

}  // namespace assay
