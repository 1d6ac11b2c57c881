#pragma once

#include <cstdint>
#include <vector>

#include "metrics/samples.h"

namespace assay {

// The fold of each sample: those of each class in random order, dealt out in turn, the next class
// going on where the last one stopped; classes come in the order of their first samples, so that
// names do not matter. Groups stay whole where the samples have any, targets that are no classes
// are dealt out in random order. At most as many folds as samples (or groups).
struct DealtFolds {
  Index count = 0;
  std::vector<Index> of_sample;
};
DealtFolds dealt_folds(const Samples& samples, Index count, std::uint64_t seed);

}  // namespace assay
