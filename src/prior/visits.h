#pragma once

#include <cstdint>
#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"
#include "prior/task_prior.h"

namespace assay {

// The samples cut into random blocks, the same ones for every task, with the prior's kernel within
// each block. A task visits the blocks in an order of its own, and the samples of each in an order
// of its own: the first choices, which the later ones follow, then differ from task to task, while
// the products with what was chosen before are taken block by block.
template <typename T>
class Visits {
 public:
  using Values = typename Kernel<T>::Values;

  // Every kernel of the prior must have a factor. `natural_order`: no shuffling at all.
  Visits(ThreadPool& pool, const TaskPrior<T>& prior, std::uint64_t seed, bool natural_order);

  Index rows() const { return z_.rows(); }
  Index count() const { return static_cast<Index>(samples_.size()); }
  Index blocks() const { return static_cast<Index>(kernels_.size()); }
  Index first(Index block) const { return block * side_; }
  Index size(Index block) const { return kernels_[static_cast<std::size_t>(block)].cols(); }

  // The sample at a position; blocks are stretches of positions.
  Index sample(Index position) const { return samples_[static_cast<std::size_t>(position)]; }
  auto block(Index k) const { return z_.middleCols(first(k), size(k)); }
  const Values& kernel(Index k) const { return kernels_[static_cast<std::size_t>(k)]; }

  // Groups of each sample, grouping by grouping, in the order of positions.
  const std::vector<std::vector<Label>>& groupings() const { return groupings_; }

  // The order of a task: positions, block after block.
  std::vector<Index> order(Index task) const;

 private:
  std::vector<Index> samples_;
  std::uint64_t seed_;
  bool natural_order_;
  Index side_;
  Values z_;  // r x n, in the order of positions
  std::vector<std::vector<Label>> groupings_;
  std::vector<Values> kernels_;
};

}  // namespace assay
