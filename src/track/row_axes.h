#pragma once

#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Rows X (n x D), as they are or about their mean, by the eigenvectors v_j of X'X: what each row
// adds to each eigenvalue, as squared coordinates.
struct RowAxes {
  Vector spectrum;  // min(n, D) eigenvalues, descending, rounding cut at 0
  Matrix squares;   // r x n: (v_j'x_i)^2 of those that are not rounding; rows sum to the spectrum
};

// From the smaller of X'X and XX'. Cost: n D min(n, D) flops and an eigendecomposition.
RowAxes row_axes(ThreadPool& pool, const RowSource& rows, bool center);

}  // namespace assay
