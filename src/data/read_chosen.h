#pragma once

#include <vector>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// The chosen rows (ascending) in memory, D x chosen: one sample per column, checked as read_samples
// does.
Matrix read_chosen(ThreadPool& pool, const RowSource& rows, const std::vector<Index>& chosen);

// The same in float, for files that hold no more.
Eigen::MatrixXf read_chosen_floats(ThreadPool& pool, const RowSource& rows,
                                   const std::vector<Index>& chosen);

}  // namespace assay
