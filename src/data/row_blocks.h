#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "data/check_finite.h"

namespace assay {

inline constexpr Index kRowsPerTask = 256;  // rows that one task reads

// Calls `use(first, samples)` for blocks of rows, D x count, on all threads: the features are never
// held whole. Throws Error naming a value that is not finite.
template <typename Use>
void for_row_blocks(ThreadPool& pool, const RowSource& rows, const Use& use) {
  const Index tasks = (rows.rows() + kRowsPerTask - 1) / kRowsPerTask;
  pool.run(tasks, [&](Index task) {
    const Index first = task * kRowsPerTask;
    const Index count = std::min(kRowsPerTask, rows.rows() - first);
    std::vector<Index> part(static_cast<std::size_t>(count));
    std::iota(part.begin(), part.end(), first);
    Matrix samples(rows.cols(), count);
    rows.read(part, samples.data());
    for (Index k = 0; k < count; ++k) checked_magnitude(rows, first + k, samples.col(k).data());
    use(first, samples);
  });
}

}  // namespace assay
