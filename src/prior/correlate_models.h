#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/prior.h"
#include "assay/types.h"

namespace assay {

// Two numbers of every model, from the tasks listed: all of them, or a draw with repetitions.
using ModelNumbers = std::function<double(std::size_t model, const std::vector<Index>& tasks)>;

// Their correlation over the models, with 95 % intervals from the paired bootstrap: each of 1,000
// draws takes models and tasks with repetitions, the same tasks for every model, and both sides
// from them. No coefficient below three models, which two always have. No interval below four
// models, nor from draws in which fewer than three differ.
ModelCorrelation correlate_models(std::size_t models, Index tasks, const ModelNumbers& a,
                                  const ModelNumbers& b, std::uint64_t seed);

}  // namespace assay
