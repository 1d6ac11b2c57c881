#include "linalg/gemm.h"

#include <algorithm>

#include "linalg/lapack.h"

namespace assay {
namespace {

template <typename T, typename Routine>
void call(Routine routine, T* c, Index m, Index n, Index k, GemmOperand<T> a, GemmOperand<T> b) {
  const T one = 1;
  const T zero = 0;
  const int rows = static_cast<int>(m);
  const int cols = static_cast<int>(n);
  const int inner = static_cast<int>(k);
  const int lda = std::max(1, static_cast<int>(a.stride));
  const int ldb = std::max(1, static_cast<int>(b.stride));
  routine(a.transposed ? "T" : "N", b.transposed ? "T" : "N", &rows, &cols, &inner, &one, a.data,
          &lda, b.data, &ldb, &zero, c, &rows);
}

}  // namespace

void gemm_into(float* c, Index m, Index n, Index k, GemmOperand<float> a, GemmOperand<float> b) {
  call(sgemm_, c, m, n, k, a, b);
}

void gemm_into(double* c, Index m, Index n, Index k, GemmOperand<double> a, GemmOperand<double> b) {
  call(dgemm_, c, m, n, k, a, b);
}

}  // namespace assay
