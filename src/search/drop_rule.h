#pragma once

#include <span>
#include <vector>

#include "assay/search.h"
#include "assay/types.h"

namespace assay {

// What a look found of one model: its score, turned so that higher is better, and what every unit
// (a sample, or a fold left out) contributes to it (MetricScore::contributions).
struct Sighting {
  double value = 0.0;
  std::vector<double> contributions = {};
};

// How sure a look must be: one-sided, with Bonferroni's correction for all models and looks.
struct DropRule {
  double level = 0.95;
  Index models = 1;
  Index looks = 1;
  Index samples = 0;  // of all data
  Index telling = 0;  // looks at fewer samples say nothing of a slope
};

// One model against the leader on the same `samples`. The difference g(m) estimates g(n), that of
// the scores on all n samples, with three errors:
//
// - which samples were seen: se^2 = sum (u - v)^2 + g^2 / m, contributions taken in pairs. The last
//   term puts the spread about zero, where the hypothesis to be rejected has it; without it, few
//   samples of which all speak for the leader would look certain (for accuracies this is McNemar's
//   test). A sample of m out of n without replacement has the share 1 - m / n of that variance.
// - that a model fitted to m samples is not one fitted to n: the drift. The slope of g over the
//   last two doublings (one, where there are no two), if it speaks for the model, goes on for the
//   log2(n / m) doublings that are left. Learning curves bend the other way.
// - that many models are tested at many looks: the quantile of Student's t at
//   (1 - level) / (models looks).
//
// `high` = g + drift + t se; a model with `high` < 0 is not the best. `before`: looks of the model,
// `leader_before` of the leader, the latest last.
RaceLook look_at(const DropRule& rule, Index samples, const Sighting& model, const Sighting& leader,
                 std::span<const RaceLook> before, std::span<const RaceLook> leader_before);

}  // namespace assay
