#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "prior/edges.h"
#include "prior/task_prior.h"

namespace assay {
namespace {

// Sums over all pairs i < j that are known exactly: of M, M K and M^2.
constexpr Index kControls = 3;
using Controls = Eigen::Matrix<double, kControls, 1>;

// <A, B> = |Z_a Z_b'|_F^2 of two kernels with factors.
template <typename T>
double inner_product(ThreadPool& pool, const Kernel<T>& a, const Kernel<T>& b) {
  constexpr Index stretch = 4096;
  const Index tasks = (a.count() + stretch - 1) / stretch;
  const auto group = static_cast<Index>(pool.threads());
  Matrix sum = Matrix::Zero(a.factor().rows(), b.factor().rows());
  for (Index begin = 0; begin < tasks; begin += group) {
    const Index part = std::min(group, tasks - begin);
    std::vector<typename Kernel<T>::Values> parts(static_cast<std::size_t>(part));
    pool.run(part, [&](Index k) {
      const Index first = (begin + k) * stretch;
      const Index count = std::min(stretch, a.count() - first);
      parts[static_cast<std::size_t>(k)] = product(a.factor().middleCols(first, count), false,
                                                   b.factor().middleCols(first, count), true);
    });
    for (const auto& values : parts) sum += values.template cast<double>();
  }
  return a.scale() * b.scale() * sum.squaredNorm();
}

// Over the diagonal, by name as in Theorem 3.6, and what the controls leave out of it.
struct Diagonal {
  std::vector<TaskMoments> moments;  // per temperature
  Controls controls = Controls::Zero();
};

template <typename T>
Diagonal diagonal_of(const TaskPrior<T>& prior, const Kernel<T>& model,
                     std::span<const double> temperatures) {
  Diagonal out{std::vector<TaskMoments>(temperatures.size()), Controls::Zero()};
  for (Index i = 0; i < model.count(); ++i) {
    const double m = model.entry(i, i);
    const double k = prior.entry(i, i);
    out.controls += Controls(m, m * k, m * m);
    for (std::size_t t = 0; t < temperatures.size(); ++t) {
      const Edge e = edge(k / temperatures[t]);
      out.moments[t].expectation += m * e.probability;
      out.moments[t].variance += m * m * e.variance;
    }
  }
  return out;
}

template <typename T>
Controls exact_controls(ThreadPool& pool, const TaskPrior<T>& prior, const Kernel<T>& model) {
  const Vector sum = model.factor().template cast<double>().rowwise().sum();
  double with_prior = 0.0;
  for (const Kernel<T>& kernel : prior.kernels) with_prior += inner_product(pool, model, kernel);
  return {model.scale() * sum.squaredNorm(), with_prior, model.squared_norm(pool)};
}

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

// Theorem 3.6 from sampled pairs, with control variates (regression estimators: Cochran, Sampling
// Techniques, ch. 7) whose means over all pairs are known exactly.
template <typename T>
std::vector<TaskMoments> sampled_task_moments(ThreadPool& pool, const TaskPrior<T>& prior,
                                              std::span<const Kernel<T>* const> models,
                                              std::span<const double> temperatures, Graph graph,
                                              Index pairs, std::uint64_t seed) {
  constexpr Index stretch = 4096;  // pairs with a stream of their own
  const Index n = prior.count();
  std::vector<Index> first(static_cast<std::size_t>(pairs));
  std::vector<Index> second(static_cast<std::size_t>(pairs));
  Vector k(pairs);
  const Index tasks = (pairs + stretch - 1) / stretch;
  const auto for_pairs = [&](const std::function<void(Index)>& use) {
    pool.run(tasks, [&](Index task) {
      for (Index p = task * stretch; p < std::min(pairs, (task + 1) * stretch); ++p) use(p);
    });
  };
  Random random(seed);
  for (std::size_t p = 0; p < first.size(); ++p) {
    first[p] = random.below(n);
    second[p] = random.below(n - 1);
    if (second[p] >= first[p]) ++second[p];
  }
  for_pairs([&](Index p) {
    k[p] = prior.entry(first[static_cast<std::size_t>(p)], second[static_cast<std::size_t>(p)]);
  });
  const double population = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
  const bool undirected = graph == Graph::undirected;
  std::vector<TaskMoments> out;
  for (const Kernel<T>* model : models) {
    const Diagonal diagonal = diagonal_of(prior, *model, temperatures);
    const Controls exact =
        (exact_controls(pool, prior, *model) - diagonal.controls) / (2.0 * population);
    Vector m(pairs);
    for_pairs([&](Index p) {
      m[p] = model->entry(first[static_cast<std::size_t>(p)], second[static_cast<std::size_t>(p)]);
    });
    Matrix controls(kControls, pairs);
    controls.row(0) = m;
    controls.row(1) = m.cwiseProduct(k);
    controls.row(2) = m.cwiseAbs2();
    for (std::size_t t = 0; t < temperatures.size(); ++t) {
      Vector mean(pairs);
      Vector variance(pairs);
      for_pairs([&](Index p) {
        const Edge e = edge((undirected ? 2.0 : 1.0) * k[p] / temperatures[t]);
        mean[p] = m[p] * e.probability;
        variance[p] = m[p] * m[p] * e.variance;
      });
      const Estimate e = controlled_total(mean, controls, exact, 2.0 * population);
      const double weight = undirected ? 4.0 : 2.0;  // per pair, see task_moments
      const Estimate v = controlled_total(variance, controls, exact, weight * population);
      out.push_back({diagonal.moments[t].expectation + e.total,
                     diagonal.moments[t].variance + v.total, e.error, v.error});
    }
  }
  return out;
}

template std::vector<TaskMoments> sampled_task_moments(ThreadPool&, const TaskPrior<float>&,
                                                       std::span<const Kernel<float>* const>,
                                                       std::span<const double>, Graph, Index,
                                                       std::uint64_t);
template std::vector<TaskMoments> sampled_task_moments(ThreadPool&, const TaskPrior<double>&,
                                                       std::span<const Kernel<double>* const>,
                                                       std::span<const double>, Graph, Index,
                                                       std::uint64_t);

}  // namespace assay
