#include "learn/mixture.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/random.h"
#include "learn/centred_samples.h"
#include "learn/em.h"
#include "learn/kmeans.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"

namespace assay {
namespace {

// Of clusters: their means and covariances. A cluster without samples stands at its centre with
// the mean variance of the data, almost without weight.
Mixture mixture_of(ThreadPool& pool, const Matrix& samples, const Clusters& clusters,
                   double variance, double regularisation) {
  const Index components = clusters.centres.cols();
  Matrix shares = Matrix::Zero(samples.cols(), components);
  for (Index i = 0; i < samples.cols(); ++i)
    shares(i, clusters.assignment[static_cast<std::size_t>(i)]) = 1.0;
  const Matrix round = variance * Matrix::Identity(samples.rows(), samples.rows());
  Mixture start;
  start.weights = Vector::Zero(components);
  start.means = clusters.centres;
  start.factors.assign(static_cast<std::size_t>(components),
                       regularised_factor(round, regularisation));
  return maximize(pool, samples, shares, std::move(start), regularisation);
}

// What there is to say about samples without features: nothing.
Mixture featureless(Index components) {
  Mixture out;
  out.weights = Vector::Constant(components, 1.0 / static_cast<double>(components));
  out.means = Matrix(0, components);
  out.factors.assign(static_cast<std::size_t>(components), Matrix(0, 0));
  out.converged = true;
  return out;
}

}  // namespace

Matrix Mixture::covariance(Index component) const {
  const Matrix& factor = factors[static_cast<std::size_t>(component)];
  return product(factor, false, factor, true);
}

Mixture mixture_from_precisions(Vector weights, Matrix means,
                                const std::vector<Matrix>& precisions) {
  Mixture out;
  out.weights = std::move(weights);
  out.means = std::move(means);
  for (const Matrix& precision : precisions) {
    // P = M M' gives S = M^-T M^-1.
    const Matrix root = regularised_factor(precision, 0.0);
    const Matrix inverse = solve_lower(root, Matrix::Identity(root.rows(), root.cols()));
    out.factors.push_back(regularised_factor(product(inverse, true, inverse, false), 0.0));
  }
  return out;
}

// EM as scikit-learn stops it (mixture.h); PACTran, section 2.2, is what it serves.
Mixture run_em(ThreadPool& pool, const Matrix& samples, Mixture start,
               const MixtureOptions& options) {
  assert(samples.cols() > 0 && start.components() > 0);
  Mixture mixture = std::move(start);
  mixture.iterations = 0;
  mixture.converged = false;
  double before = -std::numeric_limits<double>::infinity();
  while (mixture.iterations < options.max_iterations && !mixture.converged) {
    const Expectation at = expect(pool, mixture, samples);
    mixture = maximize(pool, samples, at.posteriors, std::move(mixture), options.regularisation);
    ++mixture.iterations;
    mixture.converged = std::abs(at.log_likelihood - before) < options.tolerance;
    before = at.log_likelihood;
  }
  mixture.log_likelihood = expect(pool, mixture, samples).log_likelihood;
  return mixture;
}

std::vector<Mixture> fit_mixtures(ThreadPool& pool, const Matrix& samples,
                                  const MixtureOptions& options) {
  assert(samples.cols() > 0 && options.components > 0);
  const Index components = std::min(options.components, samples.cols());
  const auto starts = static_cast<std::size_t>(options.starts);
  if (samples.rows() == 0) return std::vector<Mixture>(starts, featureless(components));
  const double spread = mean_variance(samples);
  const double variance = spread > 0.0 ? spread : 1.0;
  MixtureOptions scaled = options;
  scaled.regularisation *= variance;
  Random random(options.seed);
  std::vector<Mixture> out;
  while (out.size() < starts) {
    const Clusters clusters = kmeans(pool, samples, components, random);
    out.push_back(run_em(pool, samples,
                         mixture_of(pool, samples, clusters, variance, scaled.regularisation),
                         scaled));
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &Mixture::log_likelihood);
  return out;
}

Matrix posteriors(ThreadPool& pool, const Mixture& mixture, const Matrix& samples) {
  return expect(pool, mixture, samples).posteriors;
}

}  // namespace assay
