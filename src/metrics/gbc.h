#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// Gaussian Bhattacharyya coefficient: minus the overlap of the classes, each a spherical Gaussian
// in the first 64 principal components,
//
//     - sum_{c != d} exp(-B_cd),
//     B_cd = |m_c - m_d|^2 / (8 v) + k/2 log(v / sqrt(v_c v_d)),   v = (v_c + v_d) / 2
//
// m_c, v_c the mean and the mean variance (over the k components, divided by n_c) of class c; both
// orders of a pair count. In [-C (C - 1), 0], higher is better; unchanged by rotations, shifts and
// a common scale of the features. A class of one sample has no variance and takes the pooled one.
// Detail `log_overlap`: the log of the mean coefficient of a pair, which does not vanish and does
// not grow with C. Flags: `underflow`, the sum is below the smallest number there is and all such
// models tie; `few_per_class`.
// Cost: a principal component analysis, then O(C^2).
// Ref.: Pandy et al., Transferability Estimation using Bhattacharyya Class Separability, CVPR 2022.
Score gbc(const Samples& samples);

}  // namespace assay
