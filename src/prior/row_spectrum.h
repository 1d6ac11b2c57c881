#pragma once

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// The eigenvalues of X'X, X the rows as they are or minus their mean, descending, min(n, D) of
// them. Read block by block; rounding is cut at 0. Cost: n D min(n, D) flops.
Vector row_spectrum(ThreadPool& pool, const RowSource& rows, bool center);

}  // namespace assay
