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
//
// Beyond Samples::knn_exact_rows() = E samples, E^2 / n of them, drawn evenly over the classes, are
// looked up among all n: the work stays that of E samples. The value is their mean, flagged
// `sampled_queries`, with its standard error; the other samples add nothing (NaN). Samples that are
// not held go by in blocks (neighbour_scan.h).
Score knn(const Samples& samples);

// The same for any k >= 1; per-sample outcomes 0 and 1.
std::vector<double> knn_outcomes(const Samples& samples, Index k);

// Of samples that are not held: what went before, blocks and a tile of queries. Bytes.
Index knn_memory(const SampleSize& size);

}  // namespace assay
