#include "data/read_chosen.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "assay/error.h"
#include "data/check_finite.h"
#include "data/row_blocks.h"

namespace assay {
namespace {

// As in read_samples.cpp: products of larger values leave the range of double.
constexpr double kLargest = 1e100;

template <typename Samples>
Samples read(ThreadPool& pool, const RowSource& rows, const std::vector<Index>& chosen) {
  const auto count = static_cast<Index>(chosen.size());
  Samples out(rows.cols(), count);
  pool.run((count + kRowsPerTask - 1) / kRowsPerTask, [&](Index task) {
    const Index first = task * kRowsPerTask;
    const auto part = std::span<const Index>(chosen).subspan(
        static_cast<std::size_t>(first),
        static_cast<std::size_t>(std::min(kRowsPerTask, count - first)));
    rows.read(part, out.col(first).data());
    for (Index i = 0; i < std::ssize(part); ++i) {
      const Index row = part[static_cast<std::size_t>(i)];
      if (checked_magnitude(rows, row, out.col(first + i).data()) <= kLargest) continue;
      fail_input(
          fmt::format("{}: row {} has a value beyond 1e100; rescale the features, or use "
                      "`metric` logme",
                      rows.where(), row));
    }
  });
  return out;
}

}  // namespace

Matrix read_chosen(ThreadPool& pool, const RowSource& rows, const std::vector<Index>& chosen) {
  return read<Matrix>(pool, rows, chosen);
}

Eigen::MatrixXf read_chosen_floats(ThreadPool& pool, const RowSource& rows,
                                   const std::vector<Index>& chosen) {
  return read<Eigen::MatrixXf>(pool, rows, chosen);
}

}  // namespace assay
