#pragma once

#include <string>
#include <vector>

#include "assay/rank.h"
#include "assay/types.h"
#include "stats/joint_spread.h"

namespace assay {

// One model's score by one metric, turned so that higher is better, and what it owes to every unit
// it was computed from (joint_spread.h; empty: nothing is known of its error). Unit u is the same
// rows for every model.
struct Candidate {
  std::string name;
  double value = 0.0;
  std::vector<double> contributions = {};
  std::vector<double> pair_contributions = {};
  std::vector<double> triple_contributions = {};
  double resolution = 0.0;  // differences up to this are rounding
};

Contributions contributions_of(const Candidate& candidate);

// Several metrics' candidates, in the same order of models.
using Columns = std::vector<std::vector<Candidate>>;

// Orders candidates and, when level > 0 and contributions are there, says how sure the order is.
//
// Ranges are marginal: each holds the rank of its model by this metric with probability `level`.
// They are quantiles of the rank over resamples of the units (resampled_ranks.h).
//
// Separations are joint: with probability `level` none of them is wrong. Two models are separable
// when their paired difference exceeds Student's t quantile with Bonferroni's correction for all
// pairs, and their ranges do not overlap.
//
// Tie group 1 holds the winner and all that are not separable from it; of the others the best leads
// group 2 likewise, and so on. Members of different groups need not be separable.
Ranking rank_candidates(const std::vector<Candidate>& candidates, double level);

}  // namespace assay
