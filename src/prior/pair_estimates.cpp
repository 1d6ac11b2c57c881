#include "prior/pair_estimates.h"

#include <cmath>

#include "core/random.h"
#include "linalg/cholesky.h"
#include "prior/edges.h"

namespace assay {
namespace {

struct Estimate {
  double total = 0.0;
  double error = 0.0;
};

// The sum over `population` pairs from a sample of f, with the part of f that is linear in the
// controls replaced by its exact sum; the standard error is that of what is left.
Estimate controlled_total(const Vector& f, const Matrix& controls, const Controls& exact_mean,
                          double population) {
  const auto count = static_cast<double>(f.size());
  const Vector mean = controls.rowwise().mean();
  const Matrix centred = controls.colwise() - mean;
  const Vector rest = f.array() - f.mean();
  // Controls may repeat one another (a constant kernel): scale them and add a little ridge.
  Vector size = (centred.rowwise().squaredNorm() / count).cwiseSqrt();
  size = (size.array() > 0.0).select(size, 1.0);
  const Matrix scaled = size.cwiseInverse().asDiagonal() * centred;
  Matrix gram = scaled * scaled.transpose() / count;
  gram.diagonal().array() += 1e-9;
  const Matrix lower = *cholesky(std::move(gram));  // the ridge keeps it positive definite
  Vector slope = solve_lower(lower, scaled * rest / count);
  lower.transpose().triangularView<Eigen::Upper>().solveInPlace(slope);
  const Vector residual = rest - scaled.transpose() * slope;
  const Vector gap = (mean - exact_mean).cwiseQuotient(size);
  const double error = std::sqrt(residual.squaredNorm() / (count - kControls - 1.0) / count);
  return {population * (f.mean() - slope.dot(gap)), population * error};
}

}  // namespace

std::vector<std::pair<Index, Index>> draw_pairs(Index n, Index pairs, std::uint64_t seed) {
  std::vector<std::pair<Index, Index>> out(static_cast<std::size_t>(pairs));
  Random random(seed);
  for (auto& [first, second] : out) {
    first = random.below(n);
    second = random.below(n - 1);
    if (second >= first) ++second;
  }
  return out;
}

void add_diagonal(double model, double prior, std::span<const double> temperatures,
                  std::vector<TaskMoments>& moments, Controls& controls) {
  controls += Controls(model, model * prior, model * model);
  for (std::size_t t = 0; t < temperatures.size(); ++t) {
    const Edge e = edge(prior / temperatures[t]);
    moments[t].expectation += model * e.probability;
    moments[t].variance += model * model * e.variance;
  }
}

std::vector<TaskMoments> moments_of_pairs(const SampledPairs& pairs, Index n,
                                          std::span<const double> temperatures, Graph graph) {
  const double population = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
  const bool undirected = graph == Graph::undirected;
  const double weight = undirected ? 4.0 : 2.0;  // per pair, see task_moments
  const Controls exact = pairs.off_diagonal / (2.0 * population);
  const Vector& m = pairs.model;
  Matrix controls(kControls, m.size());
  controls.row(0) = m;
  controls.row(1) = m.cwiseProduct(pairs.prior);
  controls.row(2) = m.cwiseAbs2();
  std::vector<TaskMoments> out;
  for (std::size_t t = 0; t < temperatures.size(); ++t) {
    Vector mean(m.size());
    Vector variance(m.size());
    for (Index p = 0; p < m.size(); ++p) {
      const Edge e = edge((undirected ? 2.0 : 1.0) * pairs.prior[p] / temperatures[t]);
      mean[p] = m[p] * e.probability;
      variance[p] = m[p] * m[p] * e.variance;
    }
    const Estimate e = controlled_total(mean, controls, exact, 2.0 * population);
    const Estimate v = controlled_total(variance, controls, exact, weight * population);
    out.push_back({pairs.diagonal[t].expectation + e.total, pairs.diagonal[t].variance + v.total,
                   e.error, v.error});
  }
  return out;
}

}  // namespace assay
