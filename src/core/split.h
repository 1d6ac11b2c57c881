#pragma once

#include <cstdint>
#include <vector>

#include "assay/types.h"

namespace assay {

// Seeded and stratified: about `share` of every class goes to the second part.
struct Split {
  std::vector<Index> first;
  std::vector<Index> second;
};
Split stratified_split(const std::vector<Label>& labels, double share, std::uint64_t seed);

}  // namespace assay
