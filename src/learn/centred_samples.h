#pragma once

#include "assay/types.h"

namespace assay {

// Samples (columns) that are worked on together: the unit of a task and of a sum, so it may
// depend on nothing but the data. 256 samples of 100 numbers stay in the second-level cache.
inline constexpr Index kSampleBlock = 256;

inline Index sample_blocks(Index count) { return (count + kSampleBlock - 1) / kSampleBlock; }

// Samples of one block.
struct SampleRange {
  Index first = 0;
  Index count = 0;
};
SampleRange sample_range(Index block, Index samples);

// The mean of the columns, summed as differences from the first: exact for features that are
// constant, and without loss when the mean is large beside the spread.
Vector sample_mean(const Matrix& samples);

// The variance of a feature (divided by n), averaged over the features.
double mean_variance(const Matrix& samples);

// The samples of a range minus `centre`.
Matrix centred(const Matrix& samples, SampleRange range, const Vector& centre);

}  // namespace assay
