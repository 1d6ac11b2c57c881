#pragma once

#include <vector>

#include "assay/types.h"

namespace assay {

// A positive semi-definite matrix S as P'U'U P, P the permutation that puts the largest diagonal
// entry left at every step first. Steps end when that entry, what is left of a variable once those
// before it have explained their part, is no larger than the cut: the rank.
struct PivotedCholesky {
  Matrix factor;             // rank x p, upper trapezoidal, columns in the order below
  std::vector<Index> order;  // order[k] = row of S that was taken k-th
  double smallest = 0.0;     // the smallest entry that was taken; 0 for rank 0

  Index rank() const { return factor.rows(); }
};

// From the upper triangle of S. Cost: p^2 rank flops.
PivotedCholesky pivoted_cholesky(Matrix upper, double cut);

// |projection of column c onto the range of `basis`|^2 for every column, by reflections (the
// condition of the basis is not squared). The columns of `basis` are independent.
Vector projected_squares(Matrix basis, Matrix columns);

}  // namespace assay
