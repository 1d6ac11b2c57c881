#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// What a nonlinear classifier would gain over a linear one: leave-one-out accuracy of kernel ridge
// regression minus that of ridge regression, both on one-hot classes and standardised features with
// a free mean,
//
//     k(x, x') = (x'x + D exp(-|x - x'|^2 / D)) / 2D        against        x'x / D
//
// (D the features that vary; the bandwidth is that of scikit-learn's `gamma = "scale"`). The kernel
// holds the linear one, so that what it adds is curvature; each has the penalty with the least
// leave-one-out squared error. In [-1, 1]; higher means that a linear head leaves more behind, not
// that the model is better. Unchanged by the scale and shift of each feature.
//
// The mean over samples of differences of outcomes, so that its interval compares the two on the
// same rows. Details: `linear`, `nonlinear`: the two accuracies; `rows`. Of more than 2,048 samples
// a seeded stratified draw of so many is used for both (flag `drawn`).
// Cost: two eigendecompositions of n x n (9 n^3 flops each), then 4 n^2 C flops per penalty.
Score nonlinear_gain(const Samples& samples);

}  // namespace assay
