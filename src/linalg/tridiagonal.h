#pragma once

#include "assay/types.h"

namespace assay {

// A symmetric matrix S as Q T Q', T tridiagonal, Q a product of reflections.
//
// Everything LogME asks of S is a function of T and of Q'b, so the eigenvectors
// (three times the cost) are never formed; the eigenvalues come from T alone.
struct Tridiagonal {
  Vector diagonal;      // p
  Vector off_diagonal;  // p - 1
  Vector eigenvalues;   // p, ascending; empty where nobody asked for them
  Matrix reflectors;    // as dsytrd leaves them, below the diagonal; above it what stood there
  Vector scalars;       // of the reflections, p - 1
  // Unit vector w of a reflection I - 2ww' of S before all others, or empty: S = (I - 2ww') Q T Q'
  // (I - 2ww') then, and rotate() knows it.
  Vector before = {};

  Index size() const { return diagonal.size(); }

  Matrix rotate(Matrix b) const;       // Q'b, for the p x C columns of b
  Matrix rotate_back(Matrix x) const;  // Qx
};

// Reduces a symmetric matrix given by its lower triangle, in place of its copy. The first diagonal
// entry and the first row of rotate() are left as they are: an entry there may be larger than all
// others by any factor, and neither they nor the small eigenvalues lose digits by it.
// Cost: 4/3 p^3 flops.
Tridiagonal tridiagonalize(Matrix lower, bool eigenvalues = true);

// Of a tridiagonal matrix, ascending. Cost: O(p^2).
Vector tridiagonal_eigenvalues(Vector diagonal, Vector off_diagonal);

}  // namespace assay
