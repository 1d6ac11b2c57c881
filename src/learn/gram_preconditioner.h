#pragma once

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "linalg/gram.h"

namespace assay {

// (weight Z Z' + ridge I)^-1, the inverse Hessian of a softmax regression whose samples were all
// equally certain: made once from the samples' Gram matrix, set anew for every penalty, shared by
// fits to any part of them.
class GramPreconditioner {
 public:
  // z: r x n. `orthogonal`: its rows are, so that the Gram matrix is diagonal.
  GramPreconditioner(ThreadPool& pool, const FloatMatrix& z, bool orthogonal);

  const Matrix& gram() const { return gram_; }  // lower triangle; empty where diagonal

  // Cost: r^3 / 3 flops, unless diagonal.
  void set(double weight, double ridge);

  // Cost: 2 r^2 K flops, unless diagonal.
  FloatMatrix apply(const FloatMatrix& gradient) const;

 private:
  ThreadPool& pool_;
  bool diagonal_;
  Vector squares_;       // the diagonal of Z Z'
  Matrix gram_;          // lower triangle, unless diagonal
  FloatMatrix factor_;   // its Cholesky factor as set
  Eigen::VectorXf set_;  // the inverse as set, where diagonal
};

}  // namespace assay
