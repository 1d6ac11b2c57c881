#include <cmath>

#include "metrics/leep.h"
#include "metrics/pactran.h"

namespace assay {
namespace {

// Scores every start's posteriors; that of the best likelihood counts, the others give the spread.
Score on_posteriors(const Samples& samples, Score (*metric)(const Probabilities&)) {
  const std::vector<Matrix>& starts = samples.mixture_posteriors();
  Score score;
  double sum = 0.0;
  double squares = 0.0;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    Probabilities posteriors = make_probabilities(starts[k], samples.labels());
    posteriors.pactran = samples.pactran();
    const Score one = metric(posteriors);
    if (k == 0) score = one;
    sum += one.value;
    squares += one.value * one.value;
  }
  const auto count = static_cast<double>(starts.size());
  const double variance =
      count > 1.0 ? std::max(squares - sum * sum / count, 0.0) / (count - 1.0) : 0.0;
  score.details.emplace_back("spread", std::sqrt(variance));
  if (samples.count() < 3 * samples.classes()) score.flags.emplace_back("few_rows");
  return score;
}

}  // namespace

// Li et al., CVPR 2021, and PACTran (Ding et al., ECCV 2022), section 2.2: the posteriors of a
// mixture take the place of source probabilities.
Score nleep(const Samples& samples) { return on_posteriors(samples, leep); }

Score npactran_dirichlet(const Samples& samples) {
  return on_posteriors(samples, pactran_dirichlet);
}

Score npactran_gamma(const Samples& samples) { return on_posteriors(samples, pactran_gamma); }

}  // namespace assay
