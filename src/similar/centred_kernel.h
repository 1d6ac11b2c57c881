#pragma once

#include <vector>

#include "assay/types.h"

namespace assay {

// What one model's features say of which samples are alike, for comparing models: the linear
// kernel's entries above the diagonal, centred without bias and of unit length, so that the inner
// product of two is the debiased linear CKA.
//
//     K_ij - (K_i. + K_.j) / (n - 2) + K_.. / ((n - 1)(n - 2)),  K_ii = 0 in all sums
//
// The plain CKA of n samples is far above 0 for unrelated features of D > n dimensions; this one is
// 0 on average (Song et al., Feature selection via dependence maximization, JMLR 2012, Eq. 5;
// Kornblith et al., Similarity of neural network representations revisited, ICML 2019).
// `features`: D x n, n > 3. Zero where features do not vary.
Eigen::VectorXf centred_kernel(const Matrix& features);

// The k nearest other samples of every sample by cosine, k indices each, ascending.
std::vector<Index> nearest_neighbours(const Matrix& features, Index k);

// Mean share of neighbours that two have in common: 1 the same, k / (n - 1) by chance.
double shared_neighbours(const std::vector<Index>& a, const std::vector<Index>& b, Index k);

}  // namespace assay
