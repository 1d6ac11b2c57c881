#include "metrics/linear.h"

#include <array>

#include "metrics/samples.h"

namespace assay {

// RER of PACTran, Eq. 14 (Ding et al., ECCV 2022), one variant per beta.
Score linear(const Samples& samples) {
  constexpr std::array betas = {0.1, 1.0, 10.0};  // times N
  Score score;
  bool converged = true;
  for (const double beta : betas) {
    const LogisticFit& fit = samples.logistic(beta * static_cast<double>(samples.count()));
    score.variants.push_back(fit.loss + fit.penalty);
    converged = converged && fit.converged;
  }
  if (!converged) score.flags.emplace_back("not_converged");
  if (samples.ill_scaled(Samples::About::origin_and_constant))
    score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
