#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/rank.h"
#include "assay/types.h"

namespace assay {

// One model's score with its jackknife replicates (none: no intervals), all
// oriented so that higher is better. Fold j is the same samples for every model.
struct Candidate {
  std::string name;
  double value = 0.0;
  std::vector<double> replicates;
  std::vector<double> pair_replicates = {};  // as in jackknife.h; empty: no correction
};

// Orders candidates and, when level > 0 and replicates are there, gives rank
// intervals: model j lies apart from model i when the paired difference of their
// scores is significant by Student's t, Holm-corrected over all comparisons of i and
// over all comparisons of j, so that the interval of each model covers its true rank
// with probability >= level. The jackknife folds are shared, so what moves all scores alike
// cancels.
//
// A tie group is a run of models that its first member cannot be told from.
// Ref.: rank intervals by multiple testing, Mogstad et al., Rev. Econ. Stud. 2024.
Ranking rank_candidates(std::span<const Candidate> candidates, double level);

// Orders candidates whose comparisons are known already.
Ranking place_candidates(std::span<const Candidate> candidates,
                         std::vector<std::vector<Comparison>> comparisons, double level);

// Samples that would separate two models at the observed difference: errors
// shrink with the root of n. 0 when the difference is 0.
double samples_to_separate(const Comparison& comparison, Index samples, Index folds, double level);

}  // namespace assay
