#pragma once

#include <span>

#include "assay/core/parallel.h"
#include "assay/core/types.h"

namespace assay {

// One addition to a Gram matrix: `count` samples of dimension gram->rows(), each
// contiguous, one after another.
template <typename T>
struct GramUpdate {
  const T* samples = nullptr;
  Index count = 0;
  Matrix* gram = nullptr;  // D x D, only the lower triangle is kept
};

// gram += sum of x x' for every update, lower triangles only.
//
// The triangle is cut into tiles, one task each, so threads never share an
// output and the sums do not depend on their number. float samples are
// multiplied in float for at most 512 terms at a time and summed up in double.
// Cost: count * D^2 flops; scratch: one tile per thread.
void add_to_grams(ThreadPool& pool, std::span<const GramUpdate<float>> updates);
void add_to_grams(ThreadPool& pool, std::span<const GramUpdate<double>> updates);

// The matrix products A'B and so on of this library go through here: C = alpha op(A) op(B) + beta
// C.
Matrix product(const Matrix& a, bool transpose_a, const Matrix& b, bool transpose_b);

}  // namespace assay
