#include <cmath>

#include "metrics/pactran.h"
#include "metrics/variational.h"

namespace assay {
namespace {

// q(v_yz) = Gamma(shape_yz, rate_z); the paper's Eq. 12 has rate 1.
struct Posterior {
  Matrix shape;         // K x Z
  Vector rate;          // Z
  double weight = 1.0;  // lambda / N: how often every sample counts

  // lambda_i = E[sum_yz M_iz v_yz], the rate of q(R_i).
  Vector scales(const Matrix& m) const {
    return m * shape.colwise().sum().transpose().cwiseQuotient(rate);
  }

  Matrix expected_log() const {
    Matrix out = shape.unaryExpr([](double a) { return digamma(a); });
    out.rowwise() -= rate.array().log().matrix().transpose();
    return out;
  }

  // Each rate given the scales and the scales given the rates, in turn.
  void update_rate(const Matrix& m) {
    rate = Vector::Ones(rate.size()) + weight * (m.transpose() * scales(m).cwiseInverse());
  }

  // -ELBO without the entropy of the assignment:
  // sum_yz (lgamma a_y - lgamma a~ + a~ log b~ + a~ (1/b~ - 1)) + sum_i log lambda_i
  double cost(const Matrix& m, double log_prior) const {
    double total = log_prior + weight * scales(m).array().log().sum();
    for (Index z = 0; z < shape.cols(); ++z) {
      const double per_shape = std::log(rate[z]) + 1.0 / rate[z] - 1.0;
      for (Index y = 0; y < shape.rows(); ++y)
        total += shape(y, z) * per_shape - log_gamma(shape(y, z));
    }
    return total;
  }
};

}  // namespace

// PACTran, Eq. 12 (Ding et al., ECCV 2022), by the same coordinate ascent; with `free_rate` the
// rate of q(v) is a coordinate, too.
VariationalBound gamma_bound(const Probabilities& source, bool free_rate) {
  const double weight = source.pactran.lambda.value_or(1.0);
  const double lambda = weight * static_cast<double>(source.count());
  const Vector prior = source.pactran.alpha.value_or(1.0) * source.shares;
  double log_prior = 0.0;
  for (Index y = 0; y < prior.size(); ++y) {
    log_prior += log_gamma(prior[y]) * static_cast<double>(source.p.cols());
  }
  Posterior posterior{weight * class_masses(source), Vector::Ones(source.p.cols()), weight};
  posterior.shape.colwise() += prior;
  const Assigner assign(source);
  VariationalBound bound;
  double value = 0.0;
  do {
    if (free_rate) posterior.update_rate(source.p);
    const Assignment q = assign(posterior.expected_log());
    posterior.shape = weight * q.counts;
    posterior.shape.colwise() += prior;
    const double total = weight * q.entropy + posterior.cost(source.p, log_prior);
    value = total / lambda;
  } while (wants_another_sweep(bound, value));
  return bound;
}

Score pactran_gamma(const Probabilities& source) {
  const VariationalBound fixed = gamma_bound(source, /*free_rate=*/false);
  const VariationalBound free = gamma_bound(source, /*free_rate=*/true);
  Score score;
  score.value = fixed.value;
  score.details = {{"sweeps", fixed.sweeps}, {"free_rate", free.value}};
  if (!fixed.converged || !free.converged) score.flags.emplace_back("not_converged");
  return score;
}

}  // namespace assay
