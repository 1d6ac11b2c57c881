#pragma once

#include <span>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Two Gaussian classes of one covariance, in the coordinates where that covariance is diagonal:
//
//     x | y = 1 ~ N(mu1, S),   x | y = 0 ~ N(mu2, S),   S = F diag(variances) F'  (thin),
//     half_gap = F'(mu1 - mu2) / 2.
//
// The names of the SynBench paper (Ko et al., Results 2.2 to 2.4): F, Lambda, mu~.
struct GaussianPair {
  Vector midpoint;   // (mu1 + mu2) / 2, D values
  Matrix basis;      // F, D x r, orthonormal columns
  Vector variances;  // Lambda, r values, descending, all positive
  Vector half_gap;   // mu~, r values

  Index rank() const { return variances.size(); }
  // Nothing to classify with: no variance at all, or no difference of means where there is some.
  bool degenerate() const { return rank() == 0 || half_gap.squaredNorm() == 0.0; }
};

// Class means and the pooled covariance (divided by n - 2) of samples, D x n, one per column;
// labels are 0 or 1, both present, n >= 3. Eigenvalues below max(n, D) machine epsilons of the
// largest are rounding and left out, so the fit does not depend on the scale of the features, and
// n < D is as good as any.
// Cost: n p D + 9 p^3 flops with p = min(n, D).
GaussianPair fit_gaussian_pair(ThreadPool& pool, Matrix samples, std::span<const Label> labels);

}  // namespace assay
