#include "core/split.h"

#include <algorithm>

#include "core/random.h"

namespace assay {

Split stratified_split(const std::vector<Label>& labels, double share, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> order = random.permutation(static_cast<Index>(labels.size()));
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return labels[static_cast<std::size_t>(a)] < labels[static_cast<std::size_t>(b)];
  });
  Split out;
  double owed = 0.5 * share;  // so that rounding favours neither part
  for (const Index row : order) {
    owed += share;
    const bool second = owed >= 1.0;
    if (second) owed -= 1.0;
    (second ? out.held_out : out.train).push_back(row);
  }
  std::sort(out.train.begin(), out.train.end());
  std::sort(out.held_out.begin(), out.held_out.end());
  return out;
}

}  // namespace assay
