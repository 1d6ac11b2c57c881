#pragma once

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// All rows in memory, D x n: one sample per column, checked to be finite.
Matrix read_samples(ThreadPool& pool, const RowSource& rows);

// The same in float, for files that hold no more.
Eigen::MatrixXf read_float_samples(ThreadPool& pool, const RowSource& rows);

// Throws Error as the above do, for floats that are read where they lie.
void check_floats_in_place(ThreadPool& pool, const RowSource& rows);

// What metrics and probes that work on samples hold in memory, in bytes, for so many classes or
// columns of targets.
Index samples_memory(Index rows, Index cols, Index targets);
Index samples_memory(const RowSource& rows, Index targets);

// Throws Error when that exceeds the limit.
void require_samples_memory(const RowSource& rows, Index targets, Index memory_limit);

}  // namespace assay
