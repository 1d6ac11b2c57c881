#include "data/read_samples.h"

#include <fmt/format.h>

#include <vector>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/check_finite.h"
#include "data/row_blocks.h"

namespace assay {
namespace {

// Squares of larger values leave the range of double, and with them every product of samples.
constexpr double kLargest = 1e100;

void require_range(const RowSource& rows, Index row, double magnitude) {
  if (magnitude <= kLargest) return;
  fail_input(
      fmt::format("{}: row {} has a value of size {:g}, beyond 1e100; rescale the features "
                  "(of metrics only logme and hscore take such sizes)",
                  rows.where(), row, magnitude));
}

template <typename T>
void require_usable(const RowSource& rows, Index row, const T* values) {
  require_range(rows, row, checked_magnitude(rows, row, values));
}

template <typename Samples>
Samples read_all(ThreadPool& pool, const RowSource& rows) {
  Samples out(rows.cols(), rows.rows());
  for_row_ranges(pool, rows, [&](const std::vector<Index>& part) {
    rows.read(part, out.col(part.front()).data());
    for (const Index row : part) require_usable(rows, row, out.col(row).data());
  });
  return out;
}

}  // namespace

Matrix read_samples(ThreadPool& pool, const RowSource& rows) {
  return read_all<Matrix>(pool, rows);
}

Eigen::MatrixXf read_float_samples(ThreadPool& pool, const RowSource& rows) {
  return read_all<Eigen::MatrixXf>(pool, rows);
}

void check_floats_in_place(ThreadPool& pool, const RowSource& rows) {
  const float* values = rows.floats_in_place();
  for_row_ranges(pool, rows, [&](const std::vector<Index>& part) {
    for (const Index row : part) require_usable(rows, row, values + row * rows.cols());
  });
}

// Copies that the hungriest, a logistic regression in the row space, holds at a time: four of the
// samples (themselves, centred, with a constant, in the row space; later the last in double and
// in float), four of a probability of each class for each sample (now, at the end of a step, their
// gradients), and five of the Gram matrix, its eigenvectors and what finding these takes.
Index samples_memory(Index rows, Index cols, Index targets) {
  const Index side = std::min(rows, cols + 1);
  return Index{sizeof(double)} * (4 * rows * (cols + 1) + 4 * rows * targets + 5 * side * side);
}

Index samples_memory(const RowSource& rows, Index targets) {
  return samples_memory(rows.rows(), rows.cols(), targets);
}

void require_samples_memory(const RowSource& rows, Index targets, Index memory_limit) {
  require_memory(rows.where(), "what needs every sample at once", samples_memory(rows, targets),
                 memory_limit);
}

}  // namespace assay
