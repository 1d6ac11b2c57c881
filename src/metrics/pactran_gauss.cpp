#include <array>
#include <cmath>

#include "metrics/pactran.h"

namespace assay {
namespace {

constexpr double kBeta = 10.0;       // times N
constexpr double kVariance = 100.0;  // divided by D

// beta and sigma0^2 themselves. lambda = beta / sigma0^2 decides the one that is not given; of
// neither beta keeps the paper's value.
struct GaussianPrior {
  double beta = 0.0;
  double variance = 0.0;
};

GaussianPrior prior_of(const Samples& samples) {
  const auto n = static_cast<double>(samples.count());
  const PactranSettings& given = samples.pactran();
  GaussianPrior out{given.beta.value_or(kBeta) * n,
                    given.sigma0_sq.value_or(kVariance) / static_cast<double>(samples.dim())};
  if (!given.lambda) return out;
  const double lambda = *given.lambda * n;
  if (given.sigma0_sq) {
    out.beta = lambda * out.variance;
  } else {
    out.variance = out.beta / lambda;
  }
  return out;
}

constexpr std::array kBetas = {0.1, 1.0, 10.0};
constexpr std::array kVariances = {1.0, 10.0, 100.0, 1000.0};

}  // namespace

// Tr H = 1/N sum_i (|x_i|^2 + 1) sum_k p_ik (1 - p_ik); |x|^2 + 1 is |z|^2 in row space.
GaussianBound gaussian_bound(const Samples& samples, double beta) {
  const LogisticFit& fit = samples.logistic(beta);
  const Matrix& z = samples.row_space().z;
  const Matrix p = logistic_probabilities(samples.pool(), fit.weights, z);
  const Vector norms = z.colwise().squaredNorm();
  const Vector spread = (p.array() * (1.0 - p.array())).colwise().sum();
  return {fit.loss + fit.penalty, norms.dot(spread) / static_cast<double>(samples.count()),
          fit.converged};
}

// FR of PACTran, Eq. 14 (Ding et al., ECCV 2022); docs/metrics/pactran.md has beta and sigma0^2.
double GaussianBound::flatness(double beta, double variance, Index classes, Index dim) const {
  const double weights = static_cast<double>(classes) * static_cast<double>(dim);
  return weights * variance / (2.0 * beta) * std::log1p(beta / weights * trace);
}

Score pactran_gauss(const Samples& samples) {
  const auto n = static_cast<double>(samples.count());
  const auto [beta, variance] = prior_of(samples);
  const GaussianBound bound = gaussian_bound(samples, beta);
  const double flatness = bound.flatness(beta, variance, samples.classes(), samples.dim());
  GaussianBound released = bound;  // by the paper's code, where H is that of the summed loss
  released.trace *= n;
  Score score;
  score.value = bound.risk + flatness;
  score.details = {
      {"rer", bound.risk},
      {"fr", flatness},
      {"released_scale",
       bound.risk + released.flatness(beta, variance, samples.classes(), samples.dim())}};
  if (!bound.converged) score.flags.emplace_back("not_converged");
  if (samples.ill_scaled(Samples::About::origin_and_constant))
    score.flags.emplace_back("ill_scaled");
  return score;
}

Score pactran_gauss_grid(const Samples& samples) {
  Score score;
  const auto n = static_cast<double>(samples.count());
  bool converged = true;
  for (const double per_sample : kBetas) {
    const double beta = per_sample * n;
    const GaussianBound bound = gaussian_bound(samples, beta);
    converged = converged && bound.converged;
    for (const double variance : kVariances) {
      const double flatness = bound.flatness(beta, variance / static_cast<double>(samples.dim()),
                                             samples.classes(), samples.dim());
      score.variants.push_back(bound.risk + flatness);
      score.variant_parts.push_back({flatness, bound.risk});
    }
  }
  if (!converged) score.flags.emplace_back("not_converged");
  if (samples.ill_scaled(Samples::About::origin_and_constant))
    score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
