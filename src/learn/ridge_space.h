#pragma once

#include <array>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Penalties worth trying, per sample. At either end a better one may lie outside.
inline constexpr std::array kRidgePerRow = {1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1,
                                            3e-1, 1.0,  3.0,  10.0, 100.0};

// Ridge regression of columns of numbers on standardised samples with a free intercept: what fits
// without a sample, or without a part of the samples, say of those left out. All penalties share
// one decomposition, in whose coordinates Z Z' = S is diagonal:
//
//     without sample i   (y_i - f_i) / (1 - h_i) is its residual, h_i = z_i'(S + l)^-1 z_i
//     without part F     w = (S + l - Z_F Z_F')^-1 (Z y - Z_F y_F)
class RidgeSpace {
 public:
  // features: D x n; targets: n x C.
  RidgeSpace(ThreadPool& pool, Matrix features, Matrix targets);

  Index count() const { return z_.cols(); }

  Matrix without_each(double penalty) const;  // n x C predictions. Cost: 4 n r C + 2 n r flops

  // How many independent directions the random part of a fit's excess error has:
  // (sum h^2)^2 / sum h^4 with h = s / (s + penalty), see HeldOutProbes::directions.
  double directions(double penalty) const;

  // Predictions of all samples, each by the fit without its part, one matrix (n x C) per penalty.
  // Cost: n r^2 flops, then r^3 / 3 for every part and penalty.
  std::vector<Matrix> without_parts(const std::vector<Index>& part_of_sample, Index parts,
                                    const std::vector<double>& penalties) const;

 private:
  Matrix z_;          // r x n
  Vector spectrum_;   // r, of Z Z'
  Matrix targets_;    // n x C
  Matrix projected_;  // Z y, r x C
};

}  // namespace assay
