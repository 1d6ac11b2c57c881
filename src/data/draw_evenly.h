#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/types.h"

namespace assay {

// `draws` disjoint draws of `count` of n rows each (of n / draws where there are fewer), ascending:
// even steps through the rows sorted by class, in random order within. Every row is as likely as
// any other, and classes give in proportion, to within one. labels: empty where rows have no
// classes; their codes and names do not matter. n >= draws.
std::vector<std::vector<Index>> draw_evenly(std::span<const Label> labels, Index n, Index count,
                                            Index draws, std::uint64_t seed);

}  // namespace assay
