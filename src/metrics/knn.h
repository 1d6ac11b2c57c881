#pragma once

#include "assay/metric.h"
#include "metrics/samples.h"

namespace assay {

// Leave-one-out accuracy of the 5 nearest neighbours by cosine similarity; equal votes go to the
// class with the smallest summed distance. A share in [0, 1], higher is better; unchanged by
// rotations of the features and by the scale of each sample. No parameters to fit, no seed; a
// strong baseline. Samples that are all zero have similarity 0 to everything.
// Cost: 2 n^2 D flops in float by tiles, never an n x n matrix; who is nearest is settled in
// double. Of few labels per class also soft neighbours (soft_neighbours.h): two labels per class
// give five neighbours nothing to agree on.
Score knn(const Samples& samples);

// The same for any k >= 1; per-sample outcomes 0 and 1.
std::vector<double> knn_outcomes(const Samples& samples, Index k);

}  // namespace assay
