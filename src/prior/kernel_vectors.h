#pragma once

#include <span>

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Fourth powers of larger values, which variances have, leave the range of double.
inline constexpr double kLargestValue = 1e60;

// Throws Error naming the row whose values are larger.
[[noreturn]] void refuse_magnitude(const RowSource& rows, Index row, double magnitude);

// The vectors z behind K = z'z, one column per sample: the rows of a file, each of unit length if
// asked, then minus their mean if asked. Read block by block, summed in double.
// Throws Error for NaN and infinities; with unit length for rows of zeros, which have no direction;
// else for values beyond 1e60, whose fourth powers (in variances) leave the range of double.
template <typename T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> read_vectors(ThreadPool& pool,
                                                              const RowSource& rows,
                                                              bool unit_length, bool center);

// Those of some rows (ascending), each of unit length, not centred: D x count, on the calling
// thread.
Matrix unit_vectors(const RowSource& rows, std::span<const Index> which);

}  // namespace assay
