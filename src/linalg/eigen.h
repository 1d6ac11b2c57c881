#pragma once

#include "assay/types.h"

namespace assay {

// S = V diag(values) V' of a symmetric matrix.
struct SymmetricEigen {
  Vector values;   // ascending
  Matrix vectors;  // orthonormal columns, in the order of the values
};

// By divide and conquer, from the lower triangle, in place of its copy. Where the
// eigenvectors are not needed, tridiagonalize() costs a fraction.
// Cost: 4 to 9 p^3 flops.
SymmetricEigen symmetric_eigen(Matrix lower);

}  // namespace assay
