#pragma once

#include <span>
#include <vector>

#include "assay/types.h"

namespace assay {

// Rows of which it is found out how strongly they act together.
struct RowPair {
  Index first = 0;
  Index second = 0;
};

// Three rows by the pairs they make, as places in a list of pairs: (i, j), (j, k) and (i, k).
struct RowTriple {
  Index first = 0;
  Index second = 0;
  Index outer = 0;
};

// Some two thousand pairs of rows and a thousand triples among them, the same for every model of n
// rows: enough to tell how strongly samples act together (stats/joint_spread.h).
std::vector<RowPair> sampled_pairs(Index rows);
std::vector<RowTriple> sampled_triples(Index rows);

// What pairs and triples of samples add to a sum over columns of log densities beyond what their
// parts add. A column's samples g have the log density, up to terms of single samples,
//
//     f(g) = 1/2 log|R| - 1/2 z_g' R^-1 z_g,
//
// R being their block (leave_out_evidence.h) scaled to a unit diagonal, z their residuals in units
// of the deviation given all other samples.
//
// z: columns x samples, correlations: columns x pairs, the entries of R.
struct RowInteractions {
  std::vector<double> pairs;    // f(ij) - f(i) - f(j)
  std::vector<double> triples;  // f(ijk) - f(ij) - f(jk) - f(ik) + f(i) + f(j) + f(k)
};
RowInteractions row_interactions(const Matrix& z, const Matrix& correlations,
                                 std::span<const RowPair> pairs,
                                 std::span<const RowTriple> triples);

}  // namespace assay
