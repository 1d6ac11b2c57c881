#pragma once

#include <cstdint>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// A mixture of K Gaussians with full covariances, fitted to samples of dimension d, one per
// column.
//
// N-LEEP and N-PACTran (Ding et al., PACTran, ECCV 2022, section 2.2) put the posteriors of such
// a mixture in place of the source model's class probabilities; they fit it to PCA features
// (learn/pca.h) with as many components as there are classes.
struct Mixture {
  Vector weights;               // K, sum 1
  Matrix means;                 // d x K
  std::vector<Matrix> factors;  // K lower Cholesky factors of the covariances
  double log_likelihood = 0.0;  // mean per sample, nats, of these parameters
  int iterations = 0;           // of EM
  bool converged = false;

  Index components() const { return weights.size(); }
  Matrix covariance(Index component) const;
};

struct MixtureOptions {
  Index components = 1;  // at most n are used
  int starts = 5;
  std::uint64_t seed = 0;
  double tolerance = 1e-3;  // stop when the mean log-likelihood changes by less
  int max_iterations = 100;
  // Added to the diagonal of every covariance. run_em() adds this number as it stands, as
  // scikit-learn does; fit_mixtures() adds it in units of the mean variance of a feature.
  double regularisation = 1e-6;
};

// A start for run_em() from the inverse covariances, which must be positive definite.
Mixture mixture_from_precisions(Vector weights, Matrix means,
                                const std::vector<Matrix>& precisions);

// EM from given parameters. Each iteration takes posteriors under the old parameters and new
// parameters from them; as in scikit-learn the likelihood compared with the one before is that
// of the old ones. The likelihood never falls, up to the regularisation. A component that loses
// all its samples keeps its place with a weight near zero; one that collapses onto few samples
// is held up by the regularisation, and by as much more as its factorisation needs.
// `start` has at least one component; there is at least one sample, and |x|^2 must be finite.
// Cost: about 2 n d^2 K flops per iteration, less where the components are well apart.
Mixture run_em(ThreadPool& pool, const Matrix& samples, Mixture start,
               const MixtureOptions& options);

// EM from `starts` seeded k-means clusterings, the best likelihood first: the spread over the
// starts is large, and callers report it. The same seed gives the same digits for any number of
// threads; features times a constant give the same posteriors. Without features (d = 0) every
// start has equal weights and log-likelihood 0.
std::vector<Mixture> fit_mixtures(ThreadPool& pool, const Matrix& samples,
                                  const MixtureOptions& options);

// P(component | sample), n x K; rows sum to one. In the log domain, so that samples far from
// every component have posteriors too.
Matrix posteriors(ThreadPool& pool, const Mixture& mixture, const Matrix& samples);

}  // namespace assay
