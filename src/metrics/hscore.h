#pragma once

#include "assay/metric.h"
#include "metrics/problem.h"

namespace assay {

// H-score: how much of the variance of the features lies between the classes, counted in
// directions,
//
//     H = tr(cov(f)^+ cov(E[f | y])) = sum_c |U'1_c|^2 / n_c
//
// with U an orthonormal basis of the centred features. In [0, C - 1], higher is better; unchanged
// by invertible linear maps and shifts of the features. Flag `saturated`: the features have rank
// n - 1, every labelling scores C - 1, and the number says nothing.
// Cost: O(C p) after the reduction that LogME shares.
// Ref.: Bao et al., An Information-Theoretic Approach to Transferability, ICIP 2019.
Score hscore(const Problem& problem);

// The same with Ledoit and Wolf's shrunk covariance, Sigma = (1 - a) cov(f) + a tr(cov)/D I:
//
//     (1 - a) tr(Sigma^-1 cov(E[f | y]))
//
// which stays meaningful for n < D. Detail `shrinkage`: a. Unchanged by rotations, shifts and a
// common scale.
// Ref.: Ibrahim et al., Newer is not always better, ECML 2022; Ledoit & Wolf, JMVA 2004.
Score hscore_shrunk(const Problem& problem);

}  // namespace assay
