#pragma once

#include "assay/metric.h"
#include "metrics/probabilities.h"
#include "metrics/samples.h"

namespace assay {

// PAC-Bayes bounds as transfer metrics (Ding et al., PACTran, ECCV 2022); lower is better, in nats
// per sample: the paper's bound with lambda = N, i.e. -ELBO / N, and its other choices, unless
// PactranSettings say otherwise.

// Of soft labels a sample is as many samples as classes, each counted by its probability: the
// bounds of dirichlet_bound and gamma_bound are linear in these counts given q, and their priors
// take the mean probabilities for p^(y).

// Sweeps of variational inference, with what they reached.
struct VariationalBound {
  double value = 0.0;  // -ELBO / N, nats per sample
  int sweeps = 0;
  bool converged = false;
  std::vector<double> trace;  // the bound after every sweep
};

// Eq. 10: labels from source classes z by stochastic vectors w_z with Dirichlet priors
// alpha_yz = p^(y). The bound falls at every sweep. Cost: 4 n Z flops a sweep.
VariationalBound dirichlet_bound(const Probabilities& source);

// Eq. 12: non-negative v_yz with Gamma(p^(y), 1) priors, normalised once per sample. The paper's
// iteration keeps the rate of q(v) at 1 (`free_rate` = false); letting it follow, as the
// variational principle asks, gives a much tighter bound.
VariationalBound gamma_bound(const Probabilities& source, bool free_rate);

Score pactran_dirichlet(const Probabilities& source);
Score pactran_gamma(const Probabilities& source);  // detail `free_rate`: the tighter bound
Score npactran_dirichlet(const Samples& samples);  // on GMM posteriors, as N-LEEP
Score npactran_gamma(const Samples& samples);

// Eq. 14, the Gaussian prior, on the features themselves:
//
//     L(theta*) + |theta*|^2 / (2 beta) + K D sigma0^2 / (2 beta) log(1 + beta / (K D) Tr H)
//
// RER, the regularised empirical risk (the first two terms), and FR, the flatness regulariser, are
// details; so is `released_scale`, the value with N Tr H for Tr H, as the paper's code has it. H is
// the Hessian of the mean loss. beta = 10 N, sigma0^2 = 100 / D.
Score pactran_gauss(const Samples& samples);

// The same over beta in {0.1, 1, 10} N and sigma0^2 in {1, 10, 100, 1000} / D; the pair that agrees
// best with LINEAR-VALID's errors across the hub is chosen.
Score pactran_gauss_grid(const Samples& samples);

// Eq. 14's parts for one beta.
struct GaussianBound {
  double risk = 0.0;   // RER
  double trace = 0.0;  // Tr H of the mean loss
  bool converged = false;

  // FR for a prior of variance `variance` per weight.
  double flatness(double beta, double variance, Index classes, Index dim) const;
};
GaussianBound gaussian_bound(const Samples& samples, double beta);

}  // namespace assay
