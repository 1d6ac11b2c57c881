#pragma once

#include <string_view>
#include <vector>

#include "assay/features.h"
#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// "5/class:10" or "200:10" (rows : draws); draws may be left out. Throws Error.
Subsample parse_subsample(std::string_view text);

// No draw has fewer rows than this, the paper's floor.
inline constexpr Index kFewestRows = 20;

// Row indices of each draw, ascending: stratified by class, without replacement; classes with
// fewer rows give all they have. Seeded; draw k does not depend on how many follow.
std::vector<std::vector<Index>> draw_rows(const Subsample& subsample, const Targets& targets,
                                          std::uint64_t seed);

}  // namespace assay
