#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/targets.h"
#include "assay/types.h"
#include "core/split.h"

namespace assay {

// About `count` sizes, log-uniform from `first` to `last`: integers rounded up, each once, the last
// exactly `last`.
std::vector<Index> log_sizes(Index first, Index last, Index count);

// Seeded, stratified by class; regression targets are split at random. At least one row goes to
// either part.
Split validation_split(const Targets& targets, double share, std::uint64_t seed);

// The same by groups, which are never split: groups in random order are held out until they make up
// the share. None is held out of a single group.
Split grouped_split(std::span<const Label> group_of_row, double share, std::uint64_t seed);

// One seed's random order of `rows`, group after group.
std::vector<Index> grouped_order(std::span<const Label> group_of_row, std::span<const Index> rows,
                                 std::uint64_t seed);

// One seed's random order of `rows`: its first n are the subset of size n, so subsets are nested
// and drawn without replacement. Rows of the classes alternate in proportion: a start of n rows has
// n n_c / N of class c, give or take one, and every class early. Does not depend on the sizes.
std::vector<Index> training_order(const Targets& targets, std::span<const Index> rows,
                                  std::uint64_t seed);

}  // namespace assay
