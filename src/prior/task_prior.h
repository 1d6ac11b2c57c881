#pragma once

#include <span>
#include <vector>

#include "assay/prior.h"
#include "assay/progress.h"
#include "prior/kernel.h"

namespace assay {

// A distribution over tasks, i.e. over graphs G that join the samples of one class:
// mu(G) ~ exp(Tr(G K) / T) (Task Priors, Eq. 3). Several priors multiply, so their kernels add.
template <typename T>
struct TaskPrior {
  std::vector<Kernel<T>> kernels;
  std::vector<std::vector<Label>> groupings;  // K_ij = 1 within a group, else 0

  Index count() const;
  double entry(Index i, Index j) const;
  typename Kernel<T>::Values tile(Index i, Index rows, Index j, Index cols) const;
};

// Theorem 3.6 for every model and temperature: [model * temperatures.size() + t].
//
//     E = sum_ij M_ij s_ij,  Var = sum_ij M_ij^2 s_ij (1 - s_ij),  s_ij = sigmoid(K_ij / T)
//
// undirected: s_ij = sigmoid(2 K_ij / T) off the diagonal, where 4 M_ij^2 counts per pair.
// By tiles of half the matrix; one tile of the prior serves every model and temperature.
// A prior of one grouping and models with a factor need no pairs at all.
// Cost: n^2 r flops per kernel, n^2 / 2 sigmoids per temperature.
template <typename T>
std::vector<TaskMoments> task_moments(ThreadPool& pool, const TaskPrior<T>& prior,
                                      std::span<const Kernel<T>* const> models,
                                      std::span<const double> temperatures, Graph graph,
                                      const ProgressCallback& progress = {});

// The same from `pairs` seeded pairs i < j and the whole diagonal, with standard errors. The sums
// of M and of M K over all pairs are known exactly from the factors, in n r^2 flops, and serve as
// control variates for the mean; those of M^2 and M for the variance.
// Every kernel must have a factor, and the prior no grouping.
template <typename T>
std::vector<TaskMoments> sampled_task_moments(ThreadPool& pool, const TaskPrior<T>& prior,
                                              std::span<const Kernel<T>* const> models,
                                              std::span<const double> temperatures, Graph graph,
                                              Index pairs, std::uint64_t seed);

// The prior kernel's median absolute entry off the diagonal, zeros aside (see median_over_pairs):
// pairs then differ, and neither all nor none of them are certain. 0 when all entries are.
template <typename T>
double median_temperature(const TaskPrior<T>& prior, std::uint64_t seed);

}  // namespace assay
