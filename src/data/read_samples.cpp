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

// Copies of the samples that the hungriest metric holds at a time (row space, basis, itself).
constexpr Index kCopies = 4;

// Squares of larger values leave the range of double, and with them every product of samples.
constexpr double kLargest = 1e100;

void require_range(const RowSource& rows, Index row, double magnitude) {
  if (magnitude <= kLargest) return;
  fail_input(
      fmt::format("{}: row {} has a value of size {:g}, beyond 1e100; rescale the features, "
                  "or use `metric` logme",
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

Index samples_memory(const RowSource& rows) {
  return kCopies * Index{sizeof(double)} * rows.rows() * rows.cols();
}

void require_samples_memory(const RowSource& rows, Index memory_limit) {
  require_memory(rows.where(), "what needs every sample at once", samples_memory(rows),
                 memory_limit);
}

}  // namespace assay
