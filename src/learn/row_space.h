#pragma once

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Samples in the coordinates of their own span: with X the n x (D + 1) matrix of features and a
// constant, X = Z V' with Z'Z diagonal and V orthonormal.
//
// A penalised linear model depends on X through Z alone and its weights have the same norm in
// either coordinates, so problems with D > n shrink to n unknowns per output; and in these
// coordinates the curvature of such problems is nearly diagonal, which is what makes them fast.
struct RowSpace {
  Matrix z;         // r x n, one sample per column
  Vector spectrum;  // r, row sums of z^2: the eigenvalues of X'X, descending
  Matrix basis;     // V, (D + 1) x r, the last row for the constant
  double constant = 1.0;

  // Coordinates of further samples (D x m): r x m.
  Matrix map(const Matrix& samples) const;
};

// samples: D x n, one per column. By the Gram matrix when n > D, by the kernel otherwise.
// If `basis` is false, RowSpace::basis may stay empty, which saves 2 n D r flops; new samples
// cannot be mapped then. The intercept of a linear model is penalised 1 / constant^2 times as much
// as its weights: a large constant leaves it all but free. Cost: n p D + 4 p^3 flops with p =
// min(n, D + 1), then 2 n D r for z or the basis.
RowSpace row_space(ThreadPool& pool, const Matrix& samples, bool basis = true,
                   double constant = 1.0);

}  // namespace assay
