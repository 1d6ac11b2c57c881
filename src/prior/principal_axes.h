#pragma once

#include <string>

#include "assay/prior.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Centred vectors in the coordinates of their own principal axes, where Z Z' is diagonal: every
// ridge regression on them is then a division by s + penalty.
struct PrincipalAxes {
  Matrix z;         // r x n, one sample per column
  Vector spectrum;  // r eigenvalues of Z Z', descending; what is rounding beside the first is gone

  // Tr(Z'Z) / r: columns of zeros, or columns that repeat others, do not change it.
  double mean_eigenvalue() const { return spectrum.size() > 0 ? spectrum.mean() : 1.0; }
};

// Of the rows of a file: at unit length if asked, then centred. Throws Error when they are all the
// same. Cost: n D min(n, D) flops and an eigendecomposition of size min(n, D).
PrincipalAxes principal_axes(ThreadPool& pool, const RowSource& rows, bool unit_length);

// Of an n x n kernel matrix in a file: Z'Z = H K H (or K, not centred). Throws Error when it is not
// square, symmetric and positive semi-definite. Cost: an eigendecomposition of size n.
PrincipalAxes kernel_axes(ThreadPool& pool, const RowSource& rows, bool center);

// Z with Z'Z = M of the ridge projector (Theorem 3.3 with a penalty): M = Z'(Z Z' + penalty)^-1 Z.
Matrix ridge_factor(const PrincipalAxes& axes, double penalty);

}  // namespace assay
