#pragma once

#include <span>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// The inner products of all pairs of samples, for data with no more samples than
// dimensions, where F F' (n x n) is smaller than F'F.
struct RowKernel {
  Matrix gram;         // n x n, lower triangle
  double scale = 1.0;  // features were multiplied by it; a power of two
  double typical_variance =
      0.0;  // median over the features that vary, multiplied as well; 0 if none does
};

// In double throughout. Rows are checked to be finite. Panels of rows are read as
// `memory_limit` allows; with room for all of them each row is read once.
// Throws Error (too_large) when the n x n matrix itself does not fit.
RowKernel row_kernel(ThreadPool& pool, const RowSource& rows, Index memory_limit);

// The kernel of a subset of the samples, ascending. The typical variance stays that of all.
RowKernel kernel_of_subset(const RowKernel& kernel, std::span<const Index> kept);

}  // namespace assay
