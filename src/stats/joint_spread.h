#pragma once

#include <span>

#include "assay/types.h"

namespace assay {

// What a statistic owes to each unit it was computed from (a row, a group of rows, a fold), scaled
// so that the sum of squares is the jackknife's variance of the statistic; and to sampled pairs and
// triples of units acting together, scaled so that the sum of squares estimates the sum over all of
// them. None: the statistic is taken to be a sum over units.
struct Contributions {
  std::span<const double> units;
  std::span<const double> pairs;
  std::span<const double> triples;
};

// The variance of a statistic of independent units, from J, the jackknife's estimate, P, the sum of
// squares over all pairs of units of the second difference S - S_-i - S_-j + S_-ij, and T, that
// over all triples of the third.
//
// Split the variance into parts v_k of interactions of k units (Efron & Stein 1981). J counts part
// k with weight k, so it is too large wherever units act together (n near D), P with weight
// k (k - 1) / 2 and T with weight k (k - 1) (k - 2) / 6. By inclusion and exclusion the whole is
//
//     V = J - P + T - ...
//
// Summed as a geometric series from P on, that is
//
//     V = J - P^2 / (P + T),
//
// exact where nothing is beyond the second order, where parts fall off geometrically, and to second
// order in general; never below what J and P alone allow, J^2 / (J + 2 P). It needs no constant.
// docs/study-coverage.md compares it with the spread over fresh draws.
double variance_from_interactions(double jackknife, double pairs, double triples);

// The same for many statistics of the same units at once: a factor A (k x statistics) with A'A
// their joint covariance matrix. Directions in which J and P are both diagonal get the rule above,
// with T as it is in them.
// With more than a thousand statistics, each is scaled by its own rule instead. An empty `units`
// gives a column of zeros; all others must be equally long.
Matrix joint_spread(std::span<const Contributions> statistics);

// `count` draws (rows) of statistics with that factor about zero: normal, or Student's t with
// `degrees` degrees of freedom where the covariance was estimated from few units. Seeded.
Matrix draw_deviations(const Matrix& factor, Index count, double degrees, std::uint64_t seed);

}  // namespace assay
