#include "metrics/make_problem.h"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "assay/error.h"
#include "data/moments_pass.h"
#include "data/row_kernel.h"

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

Matrix target_matrix(const Targets& targets, std::span<const Index> rows) {
  const auto count = static_cast<Index>(rows.size());
  Matrix dense = Matrix::Zero(count, targets.columns());
  for (Index i = 0; i < count; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    if (targets.kind == TargetKind::classes) {
      dense(i, targets.labels[static_cast<std::size_t>(row)]) = 1.0;
    } else {
      dense.row(i) = targets.values.row(row);
    }
  }
  return dense;
}

void require_matching(const RowSource& rows, const Targets& targets) {
  if (rows.rows() == targets.rows()) return;
  fail_input(fmt::format("{}: {} rows, but {} has {} labels; one label per row is expected",
                         rows.where(), rows.rows(), targets.where, targets.rows()));
}

}  // namespace assay
