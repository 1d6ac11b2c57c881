#pragma once

#include <span>
#include <vector>

#include "assay/rank.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// Contributions (MetricScore) of rows or groups to a score from what each adds: to a mean its own
// value (NaN: the row was left out), to n times LogME what is lost without it. `added` has an entry
// per row, or per group where groups must be taken as blocks; entries of rows are summed by group.
//
// Class counts are taken as given: contributions of rows are about the mean of their class.
std::vector<double> unit_contributions(std::span<const double> added, const Targets& targets,
                                       std::span<const Label> groups);

// Sums over `most` random blocks of units, the same blocks for every score of as many units; as
// they are where there are no more. The sum of squares keeps its mean: for independent units about
// zero products of two cancel. It is off by a share of sqrt(2 / most), one standard deviation.
std::vector<double> block_contributions(std::vector<double> units, Index most);

// The same of sampled pairs of rows (sampled_pairs) that act together: about the mean of pairs of
// the same class, or of two; and of triples, about the mean of those of as many classes.
std::vector<double> pair_contributions(std::span<const double> added, const Targets& targets);
std::vector<double> triple_contributions(std::span<const double> added, const Targets& targets);

// A score's contributions in closed form, or those of the folds it was scored without.
struct ScoreContributions {
  std::vector<double> units;
  std::vector<double> pairs;
  std::vector<double> triples;
};
ScoreContributions contributions_of(const MetricScore& score);

}  // namespace assay
