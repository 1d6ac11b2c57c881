#include "data/row_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "assay/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/check_finite.h"
#include "linalg/gram.h"

namespace assay {
namespace {

constexpr double kSafe = 1e60;  // fourth powers of larger values, summed, could overflow

struct Panel {
  Index first = 0;
  Matrix samples;  // D x rows
  double largest = 0.0;
};

Panel read_panel(ThreadPool& pool, const RowSource& rows, Index first, Index count, double scale) {
  Panel panel{first, Matrix(rows.cols(), count), 0.0};
  std::vector<double> largest(static_cast<std::size_t>(count));
  pool.run(count, [&](Index k) {
    const Index row = first + k;
    double* values = panel.samples.col(k).data();
    rows.read({&row, 1}, values);
    largest[static_cast<std::size_t>(k)] = checked_magnitude(rows, row, values);
    panel.samples.col(k) *= scale;
  });
  panel.largest = *std::max_element(largest.begin(), largest.end());
  return panel;
}

void fill(ThreadPool& pool, const Panel& below, const Panel& above, Matrix& gram) {
  constexpr Index tile = 256;
  const Index tiles = (below.samples.cols() + tile - 1) / tile;
  pool.run(tiles, [&](Index task) {
    const Index first = task * tile;
    const Index count = std::min(tile, below.samples.cols() - first);
    gram.block(below.first + first, above.first, count, above.samples.cols()) =
        product(below.samples.middleCols(first, count), true, above.samples, false);
  });
}

// Sums over samples of each feature and of its square, about the first sample.
class ColumnSums {
 public:
  void add(const Matrix& samples) {
    if (count_ == 0) {
      shift_ = samples.col(0);
      sum_ = Vector::Zero(samples.rows());
      square_ = Vector::Zero(samples.rows());
    }
    for (Index k = 0; k < samples.cols(); ++k) {
      const Vector x = samples.col(k) - shift_;
      sum_ += x;
      square_ += x.cwiseAbs2();
    }
    count_ += samples.cols();
  }

  double typical_variance() const {
    const auto n = static_cast<double>(count_);
    std::vector<double> variances;
    for (Index j = 0; j < sum_.size(); ++j) {
      const double about_mean = square_[j] - sum_[j] * sum_[j] / n;
      if (about_mean > n * std::numeric_limits<double>::epsilon() * square_[j])
        variances.push_back(about_mean / n);
    }
    if (variances.empty()) return 0.0;
    const auto middle = variances.begin() + std::ssize(variances) / 2;
    std::nth_element(variances.begin(), middle, variances.end());
    return *middle;
  }

 private:
  Index count_ = 0;
  Vector shift_;
  Vector sum_;
  Vector square_;
};

double fill_kernel(ThreadPool& pool, const RowSource& rows, Index panel_rows, RowKernel& kernel) {
  double largest = 0.0;
  ColumnSums sums;
  for (Index i = 0; i < rows.rows(); i += panel_rows) {
    const Panel below =
        read_panel(pool, rows, i, std::min(panel_rows, rows.rows() - i), kernel.scale);
    largest = std::max(largest, below.largest);
    sums.add(below.samples);
    fill(pool, below, below, kernel.gram);
    for (Index j = 0; j < i; j += panel_rows) {
      fill(pool, below, read_panel(pool, rows, j, panel_rows, kernel.scale), kernel.gram);
    }
  }
  kernel.typical_variance = sums.typical_variance();
  return largest;
}

}  // namespace

RowKernel row_kernel(ThreadPool& pool, const RowSource& rows, Index memory_limit) {
  const Index n = rows.rows();
  // Two panels of rows, by the limit alone: results must not depend on the number of threads.
  const Index row_bytes = 8 * rows.cols();
  const Index panel_rows = std::clamp<Index>(memory_limit / 4 / (2 * row_bytes), 1, n);
  // The kernel, and a copy at work on every thread.
  const Index needed = Index{8} * (2 + pool.threads()) * n * n + 2 * panel_rows * row_bytes;
  require_memory(rows.where(),
                 fmt::format("the kernel of {} samples of {} dimensions", n, rows.cols()), needed,
                 memory_limit, "use fewer `threads`");
  RowKernel kernel{Matrix(n, n)};
  const double largest = fill_kernel(pool, rows, panel_rows, kernel);
  if (largest == 0.0 || (largest < kSafe && largest > 1.0 / kSafe)) return kernel;
  kernel.scale = std::ldexp(1.0, -std::ilogb(largest));
  fill_kernel(pool, rows, panel_rows, kernel);
  return kernel;
}

RowKernel kernel_of_subset(const RowKernel& kernel, std::span<const Index> kept) {
  const auto n = static_cast<Index>(kept.size());
  RowKernel out{Matrix(n, n), kernel.scale, kernel.typical_variance};
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      out.gram(i, j) =
          kernel.gram(kept[static_cast<std::size_t>(i)], kept[static_cast<std::size_t>(j)]);
    }
  }
  return out;
}

}  // namespace assay
