#include "metrics/dealt_folds.h"

#include <algorithm>

#include "core/random.h"
#include "data/folds.h"

namespace assay {
std::vector<Index> dealing_order(const Samples& samples, std::uint64_t seed) {
  std::vector<Index> order = Random(seed).permutation(samples.count());
  if (samples.kind() != TargetKind::classes) return order;
  const auto label = [&](Index row) {
    return static_cast<std::size_t>(samples.labels()[static_cast<std::size_t>(row)]);
  };
  std::vector<Index> first(static_cast<std::size_t>(samples.classes()), -1);
  Index seen = 0;
  for (const Index row : order) {
    if (first[label(row)] < 0) first[label(row)] = seen++;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return first[label(a)] < first[label(b)]; });
  return order;
}

DealtFolds dealt_folds(const Samples& samples, Index count, std::uint64_t seed) {
  if (!samples.groups().empty()) {
    Folds grouped = grouped_folds(samples.groups(), count, seed);
    return {grouped.count, std::move(grouped.of_row)};
  }
  DealtFolds out{std::min(count, samples.count()),
                 std::vector<Index>(static_cast<std::size_t>(samples.count()))};
  const std::vector<Index> order = dealing_order(samples, seed);
  for (std::size_t i = 0; i < order.size(); ++i)
    out.of_sample[static_cast<std::size_t>(order[i])] = static_cast<Index>(i) % out.count;
  return out;
}

}  // namespace assay
