#pragma once

#include <vector>

#include "metrics/samples.h"

namespace assay {

// Log likelihood of each sample's class, in nats, under all other samples as neighbours that count
// the more the more alike they are (Goldberger et al., Neighbourhood Components Analysis, NIPS
// 2004):
//
//     p(c | i) = sum_{j != i, y_j = c} exp(b cos_ij) / sum_{j != i} exp(b cos_ij),
//
// with one b >= 0 for all samples, the best of a grid of factors of sqrt(2) for the mean over at
// most 512 of them. NaN for the only sample of a class; samples that are all zero have cosine 0
// with everything. Cost: O(n^2 D) for the cosines, O(512 n) for each b.
std::vector<double> soft_neighbour_likelihood(const Samples& samples);

}  // namespace assay
