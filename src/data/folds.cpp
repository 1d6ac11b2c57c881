#include "data/folds.h"

#include <algorithm>

#include "core/random.h"

namespace assay {

Folds stratified_folds(const Targets& targets, Index count, std::uint64_t seed) {
  const Index n = targets.rows();
  if (std::min(count, n) < 2) return {};
  Folds folds{std::min(count, n), std::vector<Index>(static_cast<std::size_t>(n))};
  Random random(seed);
  std::vector<Index> order = random.permutation(n);
  if (targets.kind == TargetKind::classes) {
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return targets.labels[static_cast<std::size_t>(a)] <
             targets.labels[static_cast<std::size_t>(b)];
    });
  }
  for (Index i = 0; i < n; ++i) {
    folds.of_row[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i % folds.count;
  }
  return folds;
}

Folds grouped_folds(std::span<const Label> group_of_row, Index count, std::uint64_t seed) {
  const Index groups =
      group_of_row.empty() ? 0 : 1 + *std::max_element(group_of_row.begin(), group_of_row.end());
  if (std::min(count, groups) < 2) return {};
  std::vector<Index> size(static_cast<std::size_t>(groups), 0);
  for (const Label group : group_of_row) ++size[static_cast<std::size_t>(group)];
  Random random(seed);
  std::vector<Index> order = random.permutation(groups);
  // Large groups first, or the last one dealt could unbalance the folds.
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
  });
  Folds folds{std::min(count, groups), {}};
  std::vector<Index> load(static_cast<std::size_t>(folds.count), 0);
  std::vector<Index> fold_of_group(static_cast<std::size_t>(groups));
  for (const Index group : order) {
    const auto smallest = std::min_element(load.begin(), load.end());
    *smallest += size[static_cast<std::size_t>(group)];
    fold_of_group[static_cast<std::size_t>(group)] = smallest - load.begin();
  }
  for (const Label group : group_of_row) {
    folds.of_row.push_back(fold_of_group[static_cast<std::size_t>(group)]);
  }
  return folds;
}

}  // namespace assay
