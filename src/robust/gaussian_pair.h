#pragma once

#include <array>
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
  Vector midpoint;                   // (mu1 + mu2) / 2, D values
  Matrix basis;                      // F, D x r, orthonormal columns
  Vector variances;                  // Lambda, r values, descending, all positive
  Vector half_gap;                   // mu~, r values
  std::array<Index, 2> counts = {};  // samples of class 0 and 1 that it was fitted on

  Index rank() const { return variances.size(); }
  Index samples() const { return counts[0] + counts[1]; }
  // Variance of the fitted half gap in units of the covariance: (1/n1 + 1/n0) / 4.
  double mean_noise() const {
    return 0.25 / static_cast<double>(counts[0]) + 0.25 / static_cast<double>(counts[1]);
  }
  // Nothing to classify with: no variance at all, or no difference of means where there is some.
  bool degenerate() const { return rank() == 0 || half_gap.squaredNorm() == 0.0; }
};

// Class means and the pooled covariance (divided by n - 2) of samples, D x n, one per column;
// labels are 0 or 1, both present, n >= 3. Eigenvalues below max(n, D) machine epsilons of the
// largest are rounding and left out, so the fit does not depend on the scale of the features, and
// n < D is as good as any.
// Cost: n p D + 9 p^3 flops with p = min(n, D).
GaussianPair fit_gaussian_pair(ThreadPool& pool, Matrix samples, std::span<const Label> labels);

// The same, in place: leaves the samples less the means of their classes.
GaussianPair fit_and_centre(ThreadPool& pool, Matrix& samples, std::span<const Label> labels);

}  // namespace assay
