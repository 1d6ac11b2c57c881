#include "assay/metrics/hscore.h"

#include "assay/metrics/class_forms.h"

namespace assay {
namespace {

double sum_over_classes(const Vector& forms, const Vector& counts) {
  double sum = 0.0;
  for (Index c = 0; c < forms.size(); ++c) {
    if (counts[c] > 0.0) sum += forms[c] / counts[c];
  }
  return sum;
}

}  // namespace

Score hscore(const Problem& problem) {
  Score score;
  const Vector forms = class_projections(problem);
  const Vector& counts = problem.target_sums();
  score.value = sum_over_classes(forms, counts);
  const Reduced& reduced = problem.reduced();
  const auto present = static_cast<double>((counts.array() > 0.0).count());
  if (reduced.rank + 1 >= problem.count() && score.value > (present - 1.0) * (1.0 - 1e-6)) {
    score.flags.emplace_back("saturated");
  }
  score.details = {{"rank", static_cast<double>(reduced.rank)}};
  if (reduced.rank > 0) {
    const Vector& s = reduced.tridiagonal.eigenvalues;
    score.error = class_forms_error(problem, 1e-3 * s[s.size() - reduced.rank]);
  }
  return score;
}

}  // namespace assay
