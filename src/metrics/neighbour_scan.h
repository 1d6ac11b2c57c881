#pragma once

#include <span>
#include <vector>

#include "metrics/samples.h"

namespace assay {

// A neighbour of a query, and how far 1 - cosine it is.
struct ScannedNeighbour {
  double distance = 0.0;
  Index sample = 0;
};

// The k nearest other samples by cosine of each query (ascending numbers of samples), k of them
// after one another, nearest first; equal distances in the order of the samples. The same as knn
// finds with all samples at hand, but for ties in the last bit.
//
// All samples go by in blocks, from memory or from where they lie. Similarities are taken in float
// by tiles; what comes within their error of the k nearest so far is compared in double at once, so
// that nothing else is kept. Queries that do not fit `memory` bytes together take further passes.
// Throws Error naming a value that is not finite.
std::vector<ScannedNeighbour> scan_for_neighbours(const Samples& samples,
                                                  std::span<const Index> queries, Index k,
                                                  Index memory);

// What that takes at least, in bytes: the blocks, and a tile of queries.
Index neighbour_scan_memory(Index dim, Index threads);

}  // namespace assay
