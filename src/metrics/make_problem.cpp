#include "metrics/make_problem.h"

#include <numeric>
#include <vector>

#include "data/check_targets.h"
#include "data/moments_pass.h"
#include "data/row_kernel.h"
#include "data/subset.h"

namespace assay {

Problem make_problem(ThreadPool& pool, const RowSource& rows, const Targets& targets, bool center,
                     Index memory_limit) {
  require_matching(rows, targets);
  std::vector<Index> indices(static_cast<std::size_t>(rows.rows()), 0);
  if (rows.rows() > rows.cols()) {
    MomentsPass pass = accumulate_moments(pool, rows, targets, indices, 1, {});
    return {std::move(pass.buckets.front()), center};
  }
  std::iota(indices.begin(), indices.end(), 0);
  RowKernel kernel = row_kernel(pool, rows, memory_limit);
  return {std::move(kernel), rows.cols(), target_matrix(targets, indices), center};
}

}  // namespace assay
