#pragma once

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

}  // namespace assay
