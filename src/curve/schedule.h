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

// One seed's random order of `rows`: its first n are the subset of size n, so subsets are nested
// and drawn without replacement. Rows of the classes alternate in proportion: a start of n rows has
// n n_c / N of class c, give or take one, and every class early. Does not depend on the sizes.
std::vector<Index> training_order(const Targets& targets, std::span<const Index> rows,
                                  std::uint64_t seed);

}  // namespace assay
