#pragma once

#include "assay/metric.h"
#include "metrics/problem.h"

namespace assay {

// Centred kernel alignment of features F with one-hot labels Y, both about their means:
//
//     |F'Y|_F^2 / (|F'F|_F |Y'Y|_F)
//
// In [0, 1], higher is better; unchanged by rotations, shifts and a common scale of the features.
// Detail `chance`: what shuffled labels would score on average, which is far from 0 when samples
// are few. Of several features the one with the largest variance counts most.
// Cost: O(C p) after the reduction that LogME shares.
// Ref.: Cristianini et al., On Kernel-Target Alignment, NIPS 2001; Cortes et al., JMLR 2012.
Score cka(const Problem& problem);

}  // namespace assay
