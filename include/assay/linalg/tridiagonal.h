#pragma once

#include "assay/core/types.h"

namespace assay {

// A symmetric matrix S as Q T Q', T tridiagonal, Q a product of reflections.
//
// Everything LogME asks of S is a function of T and of Q'b, so the eigenvectors
// (three times the cost) are never formed; the eigenvalues come from T alone.
struct Tridiagonal {
  Vector diagonal;      // p
  Vector off_diagonal;  // p - 1
  Vector eigenvalues;   // p, ascending; empty where nobody asked for them
  Matrix reflectors;    // as dsytrd leaves them, lower triangle
  Vector scalars;       // of the reflections, p - 1

  Index size() const { return diagonal.size(); }

  Matrix rotate(Matrix b) const;       // Q'b, for the p x C columns of b
  Matrix rotate_back(Matrix x) const;  // Qx
};

// Reduces a symmetric matrix given by its lower triangle, in place of its copy.
// Cost: 4/3 p^3 flops.
Tridiagonal tridiagonalize(Matrix lower, bool eigenvalues = true);

}  // namespace assay
