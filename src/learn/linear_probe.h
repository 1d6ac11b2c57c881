#pragma once

#include <cstdint>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Labelled samples, one per column (D x n).
struct LabelledSamples {
  Matrix features;
  std::vector<Label> labels;  // 0 ... classes - 1
};

LabelledSamples part_of(const LabelledSamples& samples, const std::vector<Index>& rows);

struct ProbeResult {
  double accuracy = 0.0;
  double beta = 0.0;  // strength chosen, per training row
};

// Test accuracy of a tuned linear probe: multinomial logistic regression on features standardised
// by the training samples, its penalty chosen among beta = 0.01 ... 100 N by the accuracy on a
// seeded stratified fifth of the training samples, then fitted to all of them.
ProbeResult linear_probe(ThreadPool& pool, const LabelledSamples& train,
                         const LabelledSamples& test, Index classes, std::uint64_t seed);

}  // namespace assay
