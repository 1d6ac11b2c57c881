#include "search/race_order.h"

#include <algorithm>
#include <numeric>

#include "core/random.h"

namespace assay {
namespace {

std::vector<std::vector<Index>> rows_of_classes(const Targets& targets) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(targets.columns()));
  for (std::size_t i = 0; i < targets.labels.size(); ++i)
    rows[static_cast<std::size_t>(targets.labels[i])].push_back(static_cast<Index>(i));
  return rows;
}

// How many rows of the order it takes until two classes have two rows each, or two numbers differ.
Index first_telling(const Targets& targets, const std::vector<Index>& order) {
  std::vector<Index> seen(static_cast<std::size_t>(targets.columns()), 0);
  Index pairs = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (targets.kind == TargetKind::classes) {
      Index& count =
          seen[static_cast<std::size_t>(targets.labels[static_cast<std::size_t>(order[i])])];
      if (++count == 2) ++pairs;
    } else if (targets.values.row(order[i]) != targets.values.row(order.front())) {
      pairs = 2;
    }
    if (pairs == 2) return static_cast<Index>(i) + 1;
  }
  return targets.rows();
}

}  // namespace

std::vector<Index> race_order(const Targets& targets, std::uint64_t seed) {
  Random random(mixed_seed(seed, 0x7261636573ULL));
  if (targets.kind != TargetKind::classes) return random.permutation(targets.rows());
  std::vector<double> place(static_cast<std::size_t>(targets.rows()));
  for (std::vector<Index>& rows : rows_of_classes(targets)) {
    random.shuffle(rows);
    const double start = random.uniform();
    for (std::size_t k = 0; k < rows.size(); ++k)
      place[static_cast<std::size_t>(rows[k])] =
          (static_cast<double>(k) + start) / static_cast<double>(rows.size());
  }
  std::vector<Index> order(place.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return place[static_cast<std::size_t>(a)] < place[static_cast<std::size_t>(b)];
  });
  return order;
}

Index telling_rows(const Targets& targets) {
  return targets.kind == TargetKind::classes ? 2 * targets.columns() : 0;
}

std::vector<Index> race_looks(const Targets& targets, const std::vector<Index>& order,
                              double affordable) {
  constexpr Index least = 16;
  constexpr Index thinnest = 64;       // of all samples: three doublings before an eighth is seen
  constexpr double most_of_all = 0.6;  // of what the budget serves each model; the rest chooses
  const Index all = targets.rows();
  const Index wanted =
      std::min(telling_rows(targets), static_cast<Index>(most_of_all * affordable));
  std::vector<Index> looks;
  Index rows = std::max({least, all / thinnest, wanted, first_telling(targets, order)});
  for (; rows < all; rows *= 2) looks.push_back(rows);
  looks.push_back(all);
  return looks;
}

std::vector<Index> rows_of_look(const std::vector<Index>& order, const std::vector<Index>& looks) {
  std::vector<Index> rows(order.begin(), order.begin() + looks.back());
  Index begin = 0;
  for (const Index end : looks) {
    std::sort(rows.begin() + begin, rows.begin() + end);
    begin = end;
  }
  return rows;
}

}  // namespace assay
