#pragma once

#include <cstdint>
#include <vector>

#include "metrics/samples.h"

namespace assay {

// The samples of each class in random order, class after class; classes come in the order of their
// first samples, so that names do not matter. Targets that are no classes come in random order.
std::vector<Index> dealing_order(const Samples& samples, std::uint64_t seed);

// The fold of each sample: dealt out in turn in that order, so that the next class goes on where
// the last one stopped. Groups stay whole where the samples have any. At most as many folds as
// samples (or groups).
struct DealtFolds {
  Index count = 0;
  std::vector<Index> of_sample;
};
DealtFolds dealt_folds(const Samples& samples, Index count, std::uint64_t seed);

}  // namespace assay
