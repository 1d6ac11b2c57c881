#include "prior/kernel_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "assay/error.h"
#include "data/check_finite.h"

namespace assay {
namespace {

constexpr Index kTaskRows = 256;

Index tasks_of(Index rows) { return (rows + kTaskRows - 1) / kTaskRows; }

// Rows as columns in double, checked to be finite.
Matrix checked_rows(const RowSource& rows, std::span<const Index> which, double largest) {
  Matrix block(rows.cols(), static_cast<Index>(which.size()));
  rows.read(which, block.data());
  for (Index j = 0; j < block.cols(); ++j) {
    const Index row = which[static_cast<std::size_t>(j)];
    const double magnitude = checked_magnitude(rows, row, block.col(j).data());
    if (magnitude > largest) refuse_magnitude(rows, row, magnitude);
  }
  return block;
}

// Calls use(which, block) for blocks of rows as columns in double, checked to be finite. Rows read
// go back to the system stretch by stretch: the file and its kernel are not both in memory.
void for_each_block(ThreadPool& pool, const RowSource& rows, double largest,
                    const std::function<void(std::span<const Index> which, Matrix& block)>& use) {
  constexpr Index together = 16;
  for (Index begin = 0; begin < tasks_of(rows.rows()); begin += together) {
    const Index count = std::min(together, tasks_of(rows.rows()) - begin);
    pool.run(count, [&](Index k) {
      const Index first = (begin + k) * kTaskRows;
      std::vector<Index> part(static_cast<std::size_t>(std::min(kTaskRows, rows.rows() - first)));
      std::iota(part.begin(), part.end(), first);
      Matrix block = checked_rows(rows, part, largest);
      use(part, block);
    });
    rows.release(begin * kTaskRows, std::min((begin + count) * kTaskRows, rows.rows()));
  }
}

void to_unit_length(const RowSource& rows, std::span<const Index> which, Matrix& block) {
  for (Index k = 0; k < block.cols(); ++k) {
    const double largest = block.col(k).cwiseAbs().maxCoeff();
    if (largest == 0.0) {
      fail_input(
          fmt::format("{}: row {} is all zero and has no direction, which the cosine kernel needs; "
                      "remove the row or use `kernel` linear",
                      rows.where(), which[static_cast<std::size_t>(k)]));
    }
    block.col(k) /= largest;  // squares of huge and tiny values stay in range
    block.col(k) /= block.col(k).norm();
  }
}

}  // namespace

void refuse_magnitude(const RowSource& rows, Index row, double magnitude) {
  fail_input(
      fmt::format("{}: row {} has a value of size {:g}, beyond {:g}; rescale the features, or use "
                  "`kernel` cosine",
                  rows.where(), row, magnitude, kLargestValue));
}

template <typename T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> read_vectors(ThreadPool& pool,
                                                              const RowSource& rows,
                                                              bool unit_length, bool center) {
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> z(rows.cols(), rows.rows());
  Matrix sums(rows.cols(), tasks_of(rows.rows()));
  const double largest = unit_length ? std::numeric_limits<double>::max() : kLargestValue;
  for_each_block(pool, rows, largest, [&](std::span<const Index> which, Matrix& block) {
    const Index first = which.front();
    if (unit_length) to_unit_length(rows, which, block);
    sums.col(first / kTaskRows) = block.rowwise().sum();
    z.middleCols(first, block.cols()) = block.template cast<T>();
  });
  if (!center) return z;
  const Vector mean = sums.rowwise().sum() / static_cast<double>(rows.rows());
  pool.run(tasks_of(rows.rows()), [&](Index task) {
    const Index first = task * kTaskRows;
    const Index count = std::min(kTaskRows, rows.rows() - first);
    auto part = z.middleCols(first, count);
    part = (part.template cast<double>().colwise() - mean).template cast<T>();
  });
  return z;
}

Matrix unit_vectors(const RowSource& rows, std::span<const Index> which) {
  Matrix out = checked_rows(rows, which, std::numeric_limits<double>::max());
  to_unit_length(rows, which, out);
  return out;
}

template Eigen::MatrixXf read_vectors(ThreadPool&, const RowSource&, bool, bool);
template Eigen::MatrixXd read_vectors(ThreadPool&, const RowSource&, bool, bool);

}  // namespace assay
