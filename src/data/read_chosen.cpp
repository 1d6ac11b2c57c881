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
constexpr double kLargestChosen = 1e100;

// Rows of the file after which its pages go back, however few of them were chosen.
constexpr Index kStretch = 16384;

template <typename Samples>
void read_stretch(ThreadPool& pool, const RowSource& rows, std::span<const Index> chosen,
                  Index place, Samples& out) {
  const Index count = std::ssize(chosen);
  pool.run((count + kRowsPerTask - 1) / kRowsPerTask, [&](Index task) {
    const Index first = task * kRowsPerTask;
    const auto part =
        chosen.subspan(static_cast<std::size_t>(first),
                       static_cast<std::size_t>(std::min(kRowsPerTask, count - first)));
    rows.read(part, out.col(place + first).data());
    for (Index i = 0; i < std::ssize(part); ++i) {
      const Index row = part[static_cast<std::size_t>(i)];
      if (checked_magnitude(rows, row, out.col(place + first + i).data()) <= kLargestChosen)
        continue;
      fail_input(
          fmt::format("{}: row {} has a value beyond 1e100; rescale the features, or use "
                      "`metric` logme",
                      rows.where(), row));
    }
  });
}

template <typename Samples>
Samples read_rows(ThreadPool& pool, const RowSource& rows, const std::vector<Index>& chosen) {
  Samples out(rows.cols(), static_cast<Index>(chosen.size()));
  auto from = chosen.begin();
  for (Index first = 0; first < rows.rows(); first += kStretch) {
    const Index end = std::min(first + kStretch, rows.rows());
    const auto to = std::lower_bound(from, chosen.end(), end);
    read_stretch(pool, rows, std::span<const Index>(from, to), from - chosen.begin(), out);
    rows.release(first, end);
    from = to;
  }
  return out;
}

}  // namespace

Matrix read_chosen(ThreadPool& pool, const RowSource& rows, const std::vector<Index>& chosen) {
  return read_rows<Matrix>(pool, rows, chosen);
}

Eigen::MatrixXf read_chosen_floats(ThreadPool& pool, const RowSource& rows,
                                   const std::vector<Index>& chosen) {
  return read_rows<Eigen::MatrixXf>(pool, rows, chosen);
}

}  // namespace assay
