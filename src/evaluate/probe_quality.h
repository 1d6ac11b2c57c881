#pragma once

#include <cstdint>
#include <string>

#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Samples, one per column (D x n), with what is to be learnt about them.
struct ProbedSamples {
  Matrix features;
  Targets targets;
};

ProbedSamples part_of(const ProbedSamples& samples, const std::vector<Index>& rows);

// What a probe of such targets is measured by: "accuracy", "R2" or "average precision".
std::string probe_unit(TargetKind kind);

// That of a tuned probe fitted to `train`, on `test`: of classes a logistic one, of numbers and of
// several labels per row ridge regression. A column that does not vary among the rows of either
// part tells nothing and is left out of the mean over columns. Throws Error when none is left.
double probe_quality(ThreadPool& pool, const ProbedSamples& train, const ProbedSamples& test,
                     std::uint64_t seed);

}  // namespace assay
