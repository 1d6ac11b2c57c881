#include <cmath>

#include "metrics/pactran.h"
#include "metrics/variational.h"

namespace assay {
namespace {

// log C(alpha) = log Gamma(sum alpha) - sum log Gamma(alpha)
double log_normaliser(const Vector& alpha) {
  double out = log_gamma(alpha.sum());
  for (const double a : alpha) out -= log_gamma(a);
  return out;
}

Matrix expected_log(const Matrix& alpha) {
  Matrix out = alpha.unaryExpr([](double a) { return digamma(a); });
  for (Index z = 0; z < alpha.cols(); ++z) out.col(z).array() -= digamma(alpha.col(z).sum());
  return out;
}

}  // namespace

// PACTran, Eq. 10 (Ding et al., ECCV 2022), by coordinate ascent of the ELBO: q(z) given alpha,
// then alpha given q(z). With lambda = w N the likelihood enters by its power w, so that every
// sample counts w times. The value is -ELBO / lambda.
VariationalBound dirichlet_bound(const Probabilities& source) {
  const double weight = source.pactran.lambda.value_or(1.0);
  const double lambda = weight * static_cast<double>(source.count());
  const Vector prior = source.pactran.alpha.value_or(1.0) * source.shares;
  const double log_prior = log_normaliser(prior) * static_cast<double>(source.p.cols());
  Matrix alpha = weight * class_masses(source);  // q = M to begin with
  alpha.colwise() += prior;
  const Assigner assign(source);
  VariationalBound bound;
  double value = 0.0;
  do {
    const Assignment q = assign(expected_log(alpha));
    alpha = weight * q.counts;
    alpha.colwise() += prior;
    double total = weight * q.entropy - log_prior;
    for (Index z = 0; z < alpha.cols(); ++z) total += log_normaliser(alpha.col(z));
    value = total / lambda;
  } while (wants_another_sweep(bound, value));
  return bound;
}

Score pactran_dirichlet(const Probabilities& source) {
  const VariationalBound bound = dirichlet_bound(source);
  Score score;
  score.value = bound.value;
  score.details = {{"sweeps", bound.sweeps}};
  if (!bound.converged) score.flags.emplace_back("not_converged");
  return score;
}

}  // namespace assay
