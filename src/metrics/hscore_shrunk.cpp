#include <algorithm>

#include "metrics/class_forms.h"
#include "metrics/hscore.h"

namespace assay {
namespace {

// Ledoit & Wolf, Lemma 3.3: the share of the error of cov(f) in its distance from a multiple of I.
double shrinkage(const Reduced& reduced, double n, double dim) {
  const double mean_variance = reduced.centered_trace / (n * dim);
  const double square = reduced.centered_square / (n * n);
  const double distance = square - dim * mean_variance * mean_variance;
  const double error = (reduced.fourth / n - square) / n;
  if (!(distance > 0.0)) return 1.0;
  return std::clamp(error / distance, 0.0, 1.0);
}

}  // namespace

// (1 - a) Sigma^-1 = n (Gc + t I)^-1 with t = n a mu / (1 - a), mu the mean variance.
Score hscore_shrunk(const Problem& problem) {
  Score score;
  const Reduced& reduced = problem.reduced();
  const auto n = static_cast<double>(problem.count());
  const auto dim = static_cast<double>(problem.dim());
  const double a = reduced.rank == 0 ? 1.0 : shrinkage(reduced, n, dim);
  score.details = {{"shrinkage", a}};
  if (a >= 1.0) return score;  // nothing is left of the covariance: a score of 0
  const double t = std::max(a / (1.0 - a) * reduced.centered_trace / dim, 0.1 * reduced.rounding);
  const Vector forms = class_forms(problem, t);
  for (Index c = 0; c < forms.size(); ++c) {
    const double count = problem.target_sums()[c];
    if (count > 0.0) score.value += forms[c] / count;
  }
  score.error = class_forms_error(problem, t);
  if (reduced.ill_scaled) score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
