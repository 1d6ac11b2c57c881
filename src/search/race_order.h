#pragma once

#include <cstdint>
#include <vector>

#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// All rows in an order of which every beginning is a stratified random sample without replacement:
// the k-th of the n_c rows of a class, in random order, stands at (k + u) / n_c of the way, u
// uniform and the same for the whole class. Targets without classes: a random order. Seeded.
std::vector<Index> race_order(const Targets& targets, std::uint64_t seed);

// Rows that it takes before a score tells anything: two of every class. With one, no held-out row
// has a class to be found in.
Index telling_rows(const Targets& targets);

// Samples of each look along that order: twice as many each time, the last is all. The first has
// telling_rows where more than half of what the budget serves each model (`affordable`) holds as
// many, is never below 16, and tells two classes (two numbers) apart.
std::vector<Index> race_looks(const Targets& targets, const std::vector<Index>& order,
                              double affordable);

// The first `looks.back()` rows of the order; what one look adds to the one before is ascending, so
// that every reader meets the same rows in the same order.
std::vector<Index> rows_of_look(const std::vector<Index>& order, const std::vector<Index>& looks);

}  // namespace assay
