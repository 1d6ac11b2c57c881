#pragma once

#include "linalg/tridiagonal.h"

namespace assay {

// Reflections applied together. LAPACK's dormtr takes 32, too few for full speed of the products.
inline constexpr Index kReflectionsTogether = 64;

// Reflections first ... first + count - 1 as I - V S^-1 V', V with its ones and zeros written out
// so that both products with it are plain ones, S = diag(1/tau) + the strict upper triangle of V'V
// (a product and a triangular solve where LAPACK's dlarft goes column by column).
struct ReflectionBundle {
  Index top = 0;  // first row they touch
  Matrix v;       // (p - top) x count
  Matrix s;       // count x count, upper triangle
};

ReflectionBundle reflection_bundle(const Tridiagonal& t, Index first, Index count);

}  // namespace assay
