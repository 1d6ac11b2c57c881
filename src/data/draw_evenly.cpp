#include "data/draw_evenly.h"

#include <algorithm>

#include "core/random.h"

namespace assay {
namespace {

// Random, then class after class in the order of their first rows.
std::vector<Index> order_by_class(std::span<const Label> labels, Index n, std::uint64_t seed) {
  std::vector<Index> order = Random(seed).permutation(n);
  if (labels.empty()) return order;
  const auto label = [&](Index row) {
    return static_cast<std::size_t>(labels[static_cast<std::size_t>(row)]);
  };
  std::vector<Index> first(static_cast<std::size_t>(*std::ranges::max_element(labels)) + 1, -1);
  Index seen = 0;
  for (const Index row : order) {
    if (first[label(row)] < 0) first[label(row)] = seen++;
  }
  std::ranges::stable_sort(order, {}, [&](Index row) { return first[label(row)]; });
  return order;
}

}  // namespace

std::vector<std::vector<Index>> draw_evenly(std::span<const Label> labels, Index n, Index count,
                                            Index draws, std::uint64_t seed) {
  const std::vector<Index> order = order_by_class(labels, n, seed);
  const Index taken = std::min(count, n / draws);
  const double start = Random(mixed_seed(seed, 1)).uniform();
  const double step = static_cast<double>(n) / static_cast<double>(taken * draws);
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(draws));
  for (Index k = 0; k < taken * draws; ++k) {
    const auto at = static_cast<std::size_t>((static_cast<double>(k) + start) * step);
    out[static_cast<std::size_t>(k % draws)].push_back(order[std::min(at, order.size() - 1)]);
  }
  for (std::vector<Index>& rows : out) std::ranges::sort(rows);
  return out;
}

}  // namespace assay
