#include <algorithm>
#include <utility>
#include <vector>

#include "linalg/gram.h"
#include "prior/pair_estimates.h"
#include "prior/task_prior.h"

namespace assay {
namespace {

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

template <typename T>
Controls exact_controls(ThreadPool& pool, const TaskPrior<T>& prior, const Kernel<T>& model) {
  const Vector sum = model.factor().template cast<double>().rowwise().sum();
  double with_prior = 0.0;
  for (const Kernel<T>& kernel : prior.kernels) with_prior += inner_product(pool, model, kernel);
  return {model.scale() * sum.squaredNorm(), with_prior, model.squared_norm(pool)};
}

}  // namespace

// Theorem 3.6 from sampled pairs (prior/pair_estimates.h).
template <typename T>
std::vector<TaskMoments> sampled_task_moments(ThreadPool& pool, const TaskPrior<T>& prior,
                                              std::span<const Kernel<T>* const> models,
                                              std::span<const double> temperatures, Graph graph,
                                              Index pairs, std::uint64_t seed) {
  constexpr Index stretch = 4096;  // pairs of one task
  const Index n = prior.count();
  const std::vector<std::pair<Index, Index>> drawn = draw_pairs(n, pairs, seed);
  const auto entries = [&](const auto& kernel) {
    Vector out(pairs);
    pool.run((pairs + stretch - 1) / stretch, [&](Index task) {
      for (Index p = task * stretch; p < std::min(pairs, (task + 1) * stretch); ++p) {
        const auto [i, j] = drawn[static_cast<std::size_t>(p)];
        out[p] = kernel.entry(i, j);
      }
    });
    return out;
  };
  const Vector k = entries(prior);
  std::vector<TaskMoments> out;
  for (const Kernel<T>* model : models) {
    SampledPairs all{entries(*model), k, exact_controls(pool, prior, *model),
                     std::vector<TaskMoments>(temperatures.size())};
    Controls diagonal = Controls::Zero();
    for (Index i = 0; i < n; ++i)
      add_diagonal(model->entry(i, i), prior.entry(i, i), temperatures, all.diagonal, diagonal);
    all.off_diagonal -= diagonal;
    for (const TaskMoments& one : moments_of_pairs(all, n, temperatures, graph)) out.push_back(one);
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
