#pragma once

#include <span>
#include <utility>
#include <vector>

#include "assay/prior.h"
#include "assay/types.h"

namespace assay {

// Sums that are known exactly, of M, M K and M^2.
inline constexpr Index kControls = 3;
using Controls = Eigen::Matrix<double, kControls, 1>;

// What is known of M and K for Theorem 3.6: their entries at sampled pairs i < j, and sums.
struct SampledPairs {
  Vector model, prior;
  Controls off_diagonal = Controls::Zero();  // over all i != j
  std::vector<TaskMoments> diagonal;         // over i = j, per temperature
};

// `pairs` seeded pairs of different samples of n.
std::vector<std::pair<Index, Index>> draw_pairs(Index n, Index pairs, std::uint64_t seed);

// Adds one entry of the diagonal to both.
void add_diagonal(double model, double prior, std::span<const double> temperatures,
                  std::vector<TaskMoments>& moments, Controls& controls);

// Theorem 3.6 for n samples, with standard errors: control variates (regression estimators:
// Cochran, Sampling Techniques, ch. 7) whose means over all pairs are known exactly.
std::vector<TaskMoments> moments_of_pairs(const SampledPairs& pairs, Index n,
                                          std::span<const double> temperatures, Graph graph);

}  // namespace assay
