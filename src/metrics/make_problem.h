#pragma once

#include <span>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "metrics/problem.h"

namespace assay {

// One pass over all rows, in double: the problem a metric sees, without folds.
// Throws Error when rows and targets do not match or a value is not finite.
Problem make_problem(ThreadPool& pool, const RowSource& rows, const Targets& targets, bool center,
                     Index memory_limit);

// The targets of the given samples as numbers: one-hot columns for classes.
Matrix target_matrix(const Targets& targets, std::span<const Index> rows);

// Throws Error unless there is one label per row.
void require_matching(const RowSource& rows, const Targets& targets);

}  // namespace assay
