#pragma once

#include <span>

#include "assay/thread_pool.h"
#include "assay/types.h"

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

// The lower triangle of X'X (`of_columns`) or X X', x being read as it lies, on the calling thread
// alone.
Matrix inner_products(const Matrix& x, bool of_columns);

// op(a) op(b), through BLAS. Blocks of columns or rows are taken as they lie, without a copy.
using ConstBlock = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
Matrix product(const ConstBlock& a, bool transpose_a, const ConstBlock& b, bool transpose_b);

using FloatMatrix = Eigen::MatrixXf;
using ConstFloatBlock = Eigen::Ref<const FloatMatrix, 0, Eigen::OuterStride<>>;
FloatMatrix product(const ConstFloatBlock& a, bool transpose_a, const ConstFloatBlock& b,
                    bool transpose_b);

}  // namespace assay
