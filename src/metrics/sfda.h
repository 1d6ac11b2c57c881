#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// Self-challenging Fisher discriminant analysis: how probable a shrunk linear discriminant finds
// the classes of the samples it was fitted to, after they were made harder.
//
// 1. S = (1 - a) W + a tr(W) / D I, a = exp(-5 s) (at least 1e-10), s the largest eigenvalue of the
//    covariance W within classes; posteriors p_i from it.
// 2. Every sample moves towards the mean of the other classes' means: x_i -> w_i x_i + (1 - w_i) o,
//    w_i the entry of its class in softmax(p_i).
// 3. The same discriminant with the same `a` is fitted to these; the value is the mean posterior of
//    the own class.
//
// In (0, 1], higher is better; unchanged by rotations and shifts, not by scale (`a` hangs on it).
// Detail `shrinkage`: a. Flag `saturated`: the features have rank n - 1, so that every labelling is
// separated and the value says little.
// Cost: a principal component analysis, then three factorisations of that size.
// Ref.: Shao et al., Not All Models Are Equal, ECCV 2022.
Score sfda(const Samples& samples);

}  // namespace assay
