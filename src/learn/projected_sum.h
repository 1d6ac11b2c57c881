#pragma once

#include <algorithm>
#include <functional>

#include "assay/types.h"
#include "linalg/gram.h"
#include "linalg/thin_product.h"

namespace assay {

// Samples of one task, when sums over them are shared out to threads: each task keeps a sum of its
// own, so there are few; and products through BLAS, for many columns, want some depth.
inline Index samples_per_task(Index samples, Index columns) {
  constexpr Index most_tasks = 16;
  const Index least = columns > kThinColumns ? 512 : 128;
  return std::max(least, (samples + most_tasks - 1) / most_tasks);
}

// sum_i z_i u_i' over `count` samples from `first` on, with u_i made by `change` from v'z_i. With
// few columns, blocks of samples stay in cache from the first product to the second.
template <typename M>
M projected_sum(const M& v, const M& z, Index first, Index count,
                const std::function<void(Index first, M& u)>& change) {
  if (v.cols() > kThinColumns) {
    const auto part = z.middleCols(first, count);
    M u = product(v, true, part, false);
    change(first, u);
    return product(part, false, u, true);
  }
  constexpr Index width = 32;
  M out = M::Zero(v.rows(), v.cols());
  M u;
  for (Index i = first; i < first + count; i += width) {
    const auto part = z.middleCols(i, std::min(width, first + count - i));
    thin_project(v, part, u);
    change(i, u);
    thin_accumulate(part, u, out);
  }
  return out;
}

}  // namespace assay
