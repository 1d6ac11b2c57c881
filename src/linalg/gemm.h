#pragma once

#include "assay/types.h"

namespace assay {

// A column-major matrix in somebody else's memory, or its transpose.
template <typename T>
struct GemmOperand {
  const T* data = nullptr;
  Index stride = 0;  // between columns, as it lies in memory
  bool transposed = false;
};

// c = op(a) op(b) with c m x n, without a gap between its columns, through BLAS: for loops that
// must not allocate. Where one may, product() in gram.h reads better.
void gemm_into(float* c, Index m, Index n, Index k, GemmOperand<float> a, GemmOperand<float> b);
void gemm_into(double* c, Index m, Index n, Index k, GemmOperand<double> a, GemmOperand<double> b);

}  // namespace assay
