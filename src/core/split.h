#pragma once

#include <cstdint>
#include <vector>

#include "assay/types.h"

namespace assay {

// Rows to fit and rows to judge by, each in ascending order.
struct Split {
  std::vector<Index> train;
  std::vector<Index> held_out;
};

// Seeded and stratified: about `share` of every class is held out.
Split stratified_split(const std::vector<Label>& labels, double share, std::uint64_t seed);

}  // namespace assay
