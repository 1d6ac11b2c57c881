#pragma once

#include <functional>
#include <span>
#include <vector>

#include "rank/ranking.h"
#include "rank/resampled_ranks.h"

namespace assay {

// Places in the order of values (higher is better; equal ones by name), nothing known of ties.
std::vector<Place> places_of(std::span<const double> values,
                             const std::vector<Candidate>& candidates);

// Resamples that suffice for ranges and separations of so many models.
Index resamples_for(std::size_t models);

// Ranges from the tails of resampled ranks, for candidates of which something is known.
void set_ranges(const ResampledRanks& resampled, const std::vector<bool>& known, double level,
                std::vector<Place>& places);

// Tests all pairs. factor (k x models): the standard error of a difference is the distance of two
// columns. test(i, j, comparison) fills in difference and `separated` of candidates i and j; models
// whose ranges overlap are not separated whatever it says. Sets separable_from, versus_winner and
// tie groups. Never holds more than a few rows of the table of all pairs.
void separate(const Matrix& factor, const std::function<void(Index, Index, Comparison&)>& test,
              Ranking& ranking);

// The chance of a wrong separation that each of all pairs may take (Bonferroni), and Student's t
// quantile that goes with it.
double chance_per_pair(double level, std::size_t models);
double quantile_per_pair(double level, std::size_t models, Index units);

}  // namespace assay
