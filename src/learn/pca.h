#pragma once

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Principal components of samples, one sample per column.
//
// The first step of N-LEEP and N-PACTran (Ding et al., PACTran, ECCV 2022, section 2.2; Li et al.,
// Ranking Neural Checkpoints, CVPR 2021): features are reduced to the directions that hold 80 %
// of their variance before a mixture is fitted to them.
struct Pca {
  Vector mean;             // D
  Matrix directions;       // D x k, orthonormal; the entry of largest size in each is positive
  Vector variances;        // k, divided by n - 1, descending
  double explained = 0.0;  // share of the variance in these directions; 0 when there is none

  Matrix project(const Matrix& samples) const;  // k x n
};

// As few directions as explain more than `share` of the variance (scikit-learn's rule for
// n_components in (0, 1)); all with any variance when share >= 1. Directions whose variance is
// rounding beside the largest do not count. Samples without variance, or a single one: k = 0.
//
// From the D x D covariance when n > D, else from the n x n kernel of the centred samples; the
// data themselves are never decomposed.
// Cost: n D min(n, D) flops and an eigendecomposition of size min(n, D).
Pca fit_pca(ThreadPool& pool, const Matrix& samples, double share);

}  // namespace assay
