#pragma once

#include <functional>
#include <vector>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

inline constexpr Index kRowsPerTask = 256;  // rows that one task reads

// Calls `use` with the numbers of neighbouring rows, kRowsPerTask at most, on all threads.
void for_row_ranges(ThreadPool& pool, const RowSource& rows,
                    const std::function<void(const std::vector<Index>& part)>& use);

// The same with the rows themselves, D x count, and the number of the first: the features are never
// held whole. Throws Error naming a value that is not finite.
void for_row_blocks(ThreadPool& pool, const RowSource& rows,
                    const std::function<void(Index first, const Matrix& samples)>& use);

}  // namespace assay
