#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "robust/bayes.h"
#include "robust/synbench.h"

namespace assay {

// A setting of SynBench, without a representation.
struct SynbenchSetting {
  Index dim = 0;
  Index train = 0;  // samples to fit, at each scale
  Index test = 0;   // samples to measure
  std::vector<double> scales;
  std::vector<Budget> budgets;
  std::vector<double> thresholds;
  double class_prior = 0.5;
  std::uint64_t seed = 0;
};

// The score of a perfect representation: mean over simulations, the standard error of that mean,
// and the standard deviation of a single one, which is what chance does to one set of samples.
struct IdentityScore {
  double value = 0.0;
  double standard_error = 0.0;
  double spread = 0.0;
};

// [budget][threshold]; nothing where no score exists.
using IdentityScores = std::vector<std::vector<std::optional<IdentityScore>>>;

// What the synthetic data score when they are their own representation. With samples without end
// that is 1; with few it is less, because the covariance is estimated, and less so for large
// epsilon, which trusts it less. Dividing by it takes out what the number of samples did.
//
// No scores when the share of a class comes to no training sample at all.
// Means of 2 to 256 simulations (`identity_repeats`). The noise is the same at every scale, and so
// is the pooled covariance: one eigendecomposition serves all scales and budgets.
IdentityScores identity_scores(ThreadPool& pool, const SynbenchSetting& setting);

Index identity_repeats(const SynbenchSetting& setting);

// One simulation: [budget][scale].
std::vector<std::vector<ScalePoint>> simulate_identity(ThreadPool& pool,
                                                       const SynbenchSetting& setting,
                                                       Index repeat);

}  // namespace assay
