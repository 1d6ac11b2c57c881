#pragma once

#include <span>
#include <vector>

#include "assay/rows.h"
#include "assay/targets.h"
#include "assay/thread_pool.h"
#include "assay/types.h"
#include "data/moments.h"

namespace assay {

// How features are multiplied. float_products needs half the time and is off by
// about 1e-8 relative to the variances; `Moments::product_rounding` says how they err.
enum class Precision { double_products, float_products };

// float_products where they pay: float16 or float32 files and many products.
Precision suitable_precision(const RowSource& rows);

struct PassSettings {
  Precision precision = Precision::double_products;
  double scale = 1.0;  // features are multiplied by it; a power of two
  bool final = false;  // keep to them even if values come near the limits of the type
  bool fourth = true;  // also sums of third and fourth powers (Moments::cubic, fourth)
};

struct MomentsPass {
  std::vector<Moments> buckets;
  PassSettings used;  // differs from what was asked when values needed more range
};

// Sums one row at a time into the moments of the bucket the row belongs to
// (bucket_of_row[i] in [0, buckets), or -1 to leave the row out).
//
// One streaming pass: blocks of rows are read, checked to be finite (an Error
// names row and column), and summed by all threads. Memory: 8 (D^2 + D C) bytes
// per bucket and one block. Results do not depend on the number of threads.
MomentsPass accumulate_moments(ThreadPool& pool, const RowSource& rows, const Targets& targets,
                               std::span<const Index> bucket_of_row, Index buckets,
                               PassSettings settings);

// Bytes that the moments of one bucket take.
Index moments_bytes(Index dim, Index columns);

}  // namespace assay
