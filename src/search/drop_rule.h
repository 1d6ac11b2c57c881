#pragma once

#include <span>
#include <vector>

#include "assay/search.h"
#include "assay/types.h"

namespace assay {

// What a look found of one model: its score, turned so that higher is better, what every unit (a
// sample, or a fold left out) contributes to it (MetricScore::contributions), and what its score
// was at an earlier look.
struct Sighting {
  double value = 0.0;
  std::vector<double> contributions = {};
  double before = 0.0;  // on LookPlace::base samples
};

// How sure a look must be: one-sided, with Bonferroni's correction for all models and looks.
struct DropRule {
  double level = 0.95;
  Index models = 1;
  Index looks = 1;
};

struct LookPlace {
  Index samples = 0;
  Index base = 0;  // of the earlier look that slopes are measured from; 0: there is none
  Index all = 0;

  double doublings_since() const;
  double doublings_left() const;
};

// One model against the leader on the same m samples. The difference g(m) estimates g(n), that of
// the scores on all n samples, with errors of three kinds:
//
// - which samples were seen: se^2 = sum (u - v)^2 + g^2 / m, contributions taken in pairs. The last
//   term puts the spread about zero, where the hypothesis to be rejected has it; without it, few
//   samples of which all speak for the leader would look certain (for accuracies this is McNemar's
//   test). A sample of m out of n without replacement has the share 1 - m / n of that variance.
// - that a model fitted to m samples is not one fitted to n: the drift. Its slope per doubling is
//   measured since the base look b, as (g(m) - g(b)) / log2(m / b) with variance
//   se^2 (m / b - 1) / log2(m / b)^2, which is independent of g(m) because b is part of m. What
//   slopes there are the hub itself says: those of the models vary by more than this (true_slopes),
//   and given both the slope has mean s and variance v. If s speaks for the model it goes on for
//   the log2(n / m) doublings that are left, for learning curves bend the other way.
// - that many models are tested at many looks: the quantile t of Student's t at
//   (1 - level) / (models looks).
//
// `high` = g + max(s, 0) L + t sqrt(se^2 (1 - m / n) + v L^2), L = log2(n / m); a model with
// `high` < 0 is not the best. `slopes`: of true_slopes.
RaceLook look_at(const DropRule& rule, const LookPlace& place, const Sighting& model,
                 const Sighting& leader, double slopes);

// The variance of the slopes' true differences between two models of those given (the leader among
// them): twice the variance of the slopes measured, less what sampling adds. Not below 0.
double true_slopes(const LookPlace& place, std::span<const Sighting* const> models,
                   const Sighting& leader);

}  // namespace assay
