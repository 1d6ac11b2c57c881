#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// Leave-one-out accuracy of a ridge classifier: one-hot targets, standardised features, an
// intercept. With U s the decomposition of the features and h the leverages,
//
//     residual without sample i = (y - ybar - U diag(s / (s + l)) U'(y - ybar))_i / (1 - 1/n - h_i)
//
// exactly, given the standardisation on all samples: no split, no seed, no refit. The penalty l is
// the one with the least leave-one-out squared error among n times 1e-4 ... 1e2.
// A share in [0, 1], higher is better. Unchanged by the scale and shift of each feature. Optimistic
// by what the standardisation and the choice of one penalty see: little.
// Cost: 4/3 p^3 + 2 n p D with p = min(n, D), then O(n p C) per penalty that may still be the best.
// From 4,096 samples on, where 512 of them leave no doubt of the penalty, n p D + 2 n p C for that
// one. Large problems of float files in float, see docs/metrics/ridge_loo.md.
Score ridge_loo(const Samples& samples);

// Of samples that are not held: moments, the reduction and a tile of samples per thread. Bytes.
Index ridge_loo_memory(const SampleSize& size);

}  // namespace assay
