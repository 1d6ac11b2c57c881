#pragma once

#include <optional>
#include <span>

namespace assay {

// How alike two columns of numbers order the same models; x[i] and y[i] belong to
// model i, M = x.size(). All four are symmetric in x and y, lie in [-1, 1], and do
// not depend on the order in which the models are listed.
//
// A coefficient that does not exist is nullopt, never NaN or 0: fewer than two
// models, a side on which all values are equal, a value that is NaN.
// Throws Error when the two sides differ in length.

// Kendall's tau-a as the LogME paper defines it, so that (tau + 1) / 2 is the
// chance that a random pair of models is ordered alike (a tie counts one half):
//
//     tau = sum_{i<j} sgn(x_i - x_j) sgn(y_i - y_j) / (M (M - 1) / 2)
//
// Cost O(M^2).
std::optional<double> kendall_tau(std::span<const double> x, std::span<const double> y);

// Weighted tau, equal to SciPy's `weightedtau(x, y)` with its defaults, ties
// included: a pair counts w_i + w_j, w = 1 / (1 + rank), the highest value having
// rank 0, so that mistakes among the best models weigh most:
//
//     tau_w = sum w_ij sgn sgn / sqrt(sum_{x_i != x_j} w_ij  sum_{y_i != y_j} w_ij)
//
// averaged over ranking by x (ties in x by y) and ranking by y (ties in y by x).
// Not symmetric under a change of sign of both sides: high values are the heavy end.
// Cost O(M^2). Ref. Vigna, WWW 2015; Shieh, 1998.
std::optional<double> weighted_kendall_tau(std::span<const double> x, std::span<const double> y);

// Linear correlation; safe for values of any size. Nullopt also for infinite values.
std::optional<double> pearson(std::span<const double> x, std::span<const double> y);

// Pearson's coefficient of the ranks; tied values share the mean of their ranks.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

}  // namespace assay
