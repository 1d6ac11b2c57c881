#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// Neural collapse transferability index: how near the features are to what training to the end
// makes of them. Three parts, in the order of `variants`, of a linear discriminant (shrunk by
// exp(-variance of the first 32 components), at least 1e-10) on the first 64 principal components:
//
//     vc    minus the sum over classes of the nuclear norm of its samples' posteriors
//     seli  the nuclear norm of the samples in discriminant space (C - 1 directions)
//     ncc   the mean posterior of the own class
//
// A hub metric: each part goes to [0, 1] by its least and largest value over the models, and the
// value is the sum of the three. In [0, 3], higher is better; another model in the hub may change
// it. In-sample throughout. Flag `saturated`: no more samples than components and a mean, so that
// every labelling is separated.
// Cost: a principal component analysis, then n 64^2 + n C min(n_c, C) flops.
// Ref.: Wang et al., How Far Pre-trained Models Are from Neural Collapse on the Target Dataset
// Informs their Transferability, ICCV 2023.
Score ncti(const Samples& samples);

}  // namespace assay
