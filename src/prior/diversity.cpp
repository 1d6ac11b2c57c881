#include "prior/diversity.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay {
namespace {

// How often each class of one labelling meets each of the other: the cells that are not empty.
struct Overlap {
  struct Cell {
    Label a, b;
    double count;
  };
  std::vector<Cell> cells;
  std::vector<double> in_a, in_b;  // samples of each class
};

std::vector<double> class_counts(const Label* labels, Index count, Index classes) {
  std::vector<double> out(static_cast<std::size_t>(classes), 0.0);
  for (Index i = 0; i < count; ++i) out[static_cast<std::size_t>(labels[i])] += 1.0;
  return out;
}

// With many classes a table of all cells would be mostly empty.
Overlap overlap(const Label* a, const Label* b, Index count, Index classes) {
  Overlap out{{}, class_counts(a, count, classes), class_counts(b, count, classes)};
  std::vector<Index> keys(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) keys[static_cast<std::size_t>(i)] = a[i] * classes + b[i];
  const auto add = [&](Index key, double times) {
    out.cells.push_back(
        {static_cast<Label>(key / classes), static_cast<Label>(key % classes), times});
  };
  if (classes * classes <= 4 * count) {
    std::vector<double> table(static_cast<std::size_t>(classes * classes), 0.0);
    for (const Index key : keys) table[static_cast<std::size_t>(key)] += 1.0;
    for (std::size_t key = 0; key < table.size(); ++key)
      if (table[key] > 0.0) add(static_cast<Index>(key), table[key]);
    return out;
  }
  std::sort(keys.begin(), keys.end());
  for (auto first = keys.begin(); first != keys.end();) {
    const auto last = std::upper_bound(first, keys.end(), *first);
    add(*first, static_cast<double>(last - first));
    first = last;
  }
  return out;
}

double pairs_of(double count) { return 0.5 * count * (count - 1.0); }

double adjusted_rand_of(const Overlap& overlap, Index count) {
  double both = 0.0, in_a = 0.0, in_b = 0.0;
  for (const Overlap::Cell& cell : overlap.cells) both += pairs_of(cell.count);
  for (const double c : overlap.in_a) in_a += pairs_of(c);
  for (const double c : overlap.in_b) in_b += pairs_of(c);
  const double expected = in_a * in_b / pairs_of(static_cast<double>(count));
  const double most = 0.5 * (in_a + in_b);
  return most > expected ? (both - expected) / (most - expected) : 1.0;
}

// <HGH, HG'H> of the graphs of two labelings: |Y'HY'|^2, cell by cell.
double inner_product_of(const Overlap& overlap, Index count) {
  const auto n = static_cast<double>(count);
  double cells = 0.0, mixed = 0.0, a = 0.0, b = 0.0;
  for (const Overlap::Cell& cell : overlap.cells) {
    cells += cell.count * cell.count;
    mixed += cell.count * overlap.in_a[static_cast<std::size_t>(cell.a)] *
             overlap.in_b[static_cast<std::size_t>(cell.b)];
  }
  for (const double c : overlap.in_a) a += c * c;
  for (const double c : overlap.in_b) b += c * c;
  return std::max(0.0, cells - 2.0 * mixed / n + a * b / (n * n));
}

struct Thinned {
  std::vector<Label> labels;
  Index count = 0;
};

Thinned thinned(const std::vector<Label>& labels, Index count, Index tasks) {
  constexpr Index most = 4096;
  const Index step = (count + most - 1) / most;
  Thinned out;
  for (Index b = 0; b < tasks; ++b) {
    for (Index i = 0; i < count; i += step)
      out.labels.push_back(labels[static_cast<std::size_t>(b * count + i)]);
  }
  out.count = (count + step - 1) / step;
  return out;
}

void add_balance(const std::vector<Label>& labels, Index count, Index classes, Index tasks,
                 TaskDiversity& out) {
  for (Index b = 0; b < tasks; ++b) {
    const std::vector<double> seen = class_counts(labels.data() + b * count, count, classes);
    const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
    const double size = static_cast<double>(count) * static_cast<double>(tasks);
    out.largest_class += *most / size;
    out.smallest_class += *least / size;
    if (*least == 0.0) ++out.with_empty_class;
  }
}

}  // namespace

double adjusted_rand(const Label* a, const Label* b, Index count, Index classes) {
  return adjusted_rand_of(overlap(a, b, count, classes), count);
}

TaskDiversity diversity_of(const std::vector<Label>& labels, Index count, Index classes,
                           Index most) {
  const Index all = static_cast<Index>(labels.size()) / count;
  TaskDiversity out;
  add_balance(labels, count, classes, all, out);
  if (all < 2) return out;
  const Index tasks = std::min(all, most);
  const Thinned part = thinned(labels, count, tasks);
  const auto task = [&](Index b) { return part.labels.data() + b * part.count; };
  Vector size(tasks);
  for (Index b = 0; b < tasks; ++b)
    size[b] = inner_product_of(overlap(task(b), task(b), part.count, classes), part.count);
  double rand = 0.0;
  double squares = static_cast<double>(tasks);
  for (Index b = 0; b < tasks; ++b) {
    for (Index c = 0; c < b; ++c) {
      const Overlap both = overlap(task(b), task(c), part.count, classes);
      rand += adjusted_rand_of(both, part.count);
      const double inner = inner_product_of(both, part.count);
      if (size[b] > 0.0 && size[c] > 0.0) squares += 2.0 * inner * inner / (size[b] * size[c]);
    }
  }
  out.mean_ari = rand / pairs_of(static_cast<double>(tasks));
  out.effective_tasks = static_cast<double>(tasks) * static_cast<double>(tasks) / squares;
  out.compared = tasks;
  return out;
}

}  // namespace assay
