#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// TransRate: the coding rate of the features minus that within classes,
//
//     R(F) - sum_c n_c / n R(F_c),    R(X) = 1/2 log det(I + X'X / (n_X eps)),   eps = 1e-4
//
// F centred. Nats, higher is better; unchanged by rotations and shifts, not by scale: it misleads
// when models differ in the scale of their features.
// Cost: min(n, D) n D flops, per-class terms on the smaller side.
// Ref.: Huang et al., Frustratingly Easy Transferability Estimation, ICML 2022.
Score transrate(const Samples& samples);

// Of samples that are not held: moments, and a class or its moments on each thread. Bytes.
Index transrate_memory(const SampleSize& size);

}  // namespace assay
