#include "curve/schedule.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/random.h"

namespace assay {
namespace {

bool is_classes(const Targets& targets) { return targets.kind == TargetKind::classes; }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<Index> log_sizes(Index first, Index last, Index count) {
  first = std::min(first, last);
  std::vector<Index> sizes;
  const double ratio = static_cast<double>(last) / static_cast<double>(first);
  for (Index k = 0; k + 1 < count; ++k) {
    const double exact = static_cast<double>(first) *
                         std::pow(ratio, static_cast<double>(k) / static_cast<double>(count - 1));
    // Rounding of the power must not push a whole number up.
    const auto size = static_cast<Index>(std::ceil(exact * (1.0 - 1e-12)));
    if (size < last && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
  }
  sizes.push_back(last);
  return sizes;
}

Split validation_split(const Targets& targets, double share, std::uint64_t seed) {
  const Index n = targets.rows();
  Random random(seed);
  std::vector<Index> order = random.permutation(n);
  if (is_classes(targets)) {
    std::ranges::stable_sort(order, {}, [&](Index row) { return targets.labels[at(row)]; });
  }
  Split out;
  double owed = 0.5;  // so that rounding favours neither part
  for (const Index row : order) {
    owed += share;
    const bool second = owed >= 1.0;
    if (second) owed -= 1.0;
    (second ? out.held_out : out.train).push_back(row);
  }
  for (auto [from, to] : {std::pair(&out.train, &out.held_out), {&out.held_out, &out.train}}) {
    if (!to->empty() || from->size() < 2) continue;
    to->push_back(from->back());
    from->pop_back();
  }
  std::ranges::sort(out.train);
  std::ranges::sort(out.held_out);
  return out;
}

Split grouped_split(std::span<const Label> group_of_row, double share, std::uint64_t seed) {
  const auto rows = static_cast<double>(group_of_row.size());
  std::vector<Index> size;  // of each group
  for (const Label group : group_of_row) {
    if (at(group) >= size.size()) size.resize(at(group) + 1, 0);
    ++size[at(group)];
  }
  std::vector<bool> held_out(size.size(), false);
  double taken = 0.0;
  double left = rows;
  for (const Index group : Random(seed).permutation(std::ssize(size))) {
    const auto own = static_cast<double>(size[at(group)]);
    if (taken + 0.5 * own > share * rows && taken > 0.0) break;
    if (own == left) break;  // nothing would be left to learn from
    held_out[at(group)] = true;
    taken += own;
    left -= own;
  }
  Split out;
  for (std::size_t row = 0; row < group_of_row.size(); ++row)
    (held_out[at(group_of_row[row])] ? out.held_out : out.train).push_back(static_cast<Index>(row));
  return out;
}

std::vector<Index> grouped_order(std::span<const Label> group_of_row, std::span<const Index> rows,
                                 std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> order(rows.begin(), rows.end());
  random.shuffle(order);
  std::map<Label, std::size_t> place;  // of each group: where its first row came
  for (const Index row : order) place.try_emplace(group_of_row[at(row)], place.size());
  std::ranges::stable_sort(order, {}, [&](Index row) { return place[group_of_row[at(row)]]; });
  return order;
}

// Nested subsets by systematic sampling (Cochran, Sampling Techniques, ch. 8): docs/guide/curve.md.
std::vector<Index> training_order(const Targets& targets, std::span<const Index> rows,
                                  std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> order(rows.begin(), rows.end());
  random.shuffle(order);
  if (!is_classes(targets)) return order;
  // Systematic sampling: the i-th row of class c, in random order, stands at (i + u_c) / n_c of the
  // way, with one random offset u_c per class.
  std::vector<double> offset(at(targets.columns()));
  for (double& value : offset) value = random.uniform();
  std::vector<Index> count(offset.size(), 0);
  for (const Index row : order) ++count[at(targets.labels[at(row)])];
  std::vector<Index> seen(offset.size(), 0);
  std::vector<std::pair<double, Index>> placed;
  for (const Index row : order) {
    const std::size_t c = at(targets.labels[at(row)]);
    const double place =
        (static_cast<double>(seen[c]++) + offset[c]) / static_cast<double>(count[c]);
    placed.emplace_back(place, row);
  }
  std::ranges::stable_sort(placed, {}, &std::pair<double, Index>::first);
  std::ranges::transform(placed, order.begin(), &std::pair<double, Index>::second);
  return order;
}

}  // namespace assay
