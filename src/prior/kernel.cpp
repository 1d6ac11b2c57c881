#include "prior/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "assay/error.h"
#include "core/random.h"
#include "data/check_finite.h"
#include "learn/pca.h"
#include "linalg/gram.h"
#include "prior/tiles.h"

namespace assay {
namespace {

constexpr Index kTaskRows = 256;
// Fourth powers of larger values, which variances have, leave the range of double.
constexpr double kLargest = 1e60;

Index tasks_of(Index rows) { return (rows + kTaskRows - 1) / kTaskRows; }

// Calls use(first, block) for blocks of rows as columns in double, checked to be finite. Rows read
// go back to the system stretch by stretch: the file and its kernel are not both in memory.
void for_each_block(ThreadPool& pool, const RowSource& rows, double largest,
                    const std::function<void(Index first, Matrix& block)>& use) {
  constexpr Index together = 16;
  for (Index begin = 0; begin < tasks_of(rows.rows()); begin += together) {
    const Index count = std::min(together, tasks_of(rows.rows()) - begin);
    pool.run(count, [&](Index k) {
      const Index first = (begin + k) * kTaskRows;
      std::vector<Index> part(static_cast<std::size_t>(std::min(kTaskRows, rows.rows() - first)));
      std::iota(part.begin(), part.end(), first);
      Matrix block(rows.cols(), static_cast<Index>(part.size()));
      rows.read(part, block.data());
      for (Index j = 0; j < block.cols(); ++j) {
        const double magnitude = checked_magnitude(rows, first + j, block.col(j).data());
        if (magnitude <= largest) continue;
        fail_input(
            fmt::format("{}: row {} has a value of size {:g}, beyond {:g}; rescale the "
                        "features, or use `kernel` cosine",
                        rows.where(), first + j, magnitude, largest));
      }
      use(first, block);
    });
    rows.release(begin * kTaskRows, std::min((begin + count) * kTaskRows, rows.rows()));
  }
}

void to_unit_length(const RowSource& rows, Index first, Matrix& block) {
  for (Index k = 0; k < block.cols(); ++k) {
    const double largest = block.col(k).cwiseAbs().maxCoeff();
    if (largest == 0.0) {
      fail_input(
          fmt::format("{}: row {} is all zero and has no direction, which the cosine kernel needs; "
                      "remove the row or use `kernel` linear",
                      rows.where(), first + k));
    }
    block.col(k) /= largest;  // squares of huge and tiny values stay in range
    block.col(k) /= block.col(k).norm();
  }
}

template <typename T>
using Values = typename Kernel<T>::Values;

// Rows as columns of T, each of unit length if asked, minus their mean if asked.
template <typename T>
Values<T> read_vectors(ThreadPool& pool, const RowSource& rows, bool unit_length, bool center) {
  Values<T> z(rows.cols(), rows.rows());
  Matrix sums(rows.cols(), tasks_of(rows.rows()));
  const double largest = unit_length ? std::numeric_limits<double>::max() : kLargest;
  for_each_block(pool, rows, largest, [&](Index first, Matrix& block) {
    if (unit_length) to_unit_length(rows, first, block);
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

Matrix orthonormal_factor(ThreadPool& pool, const RowSource& rows) {
  const Matrix x = read_vectors<double>(pool, rows, false, false);
  const Pca pca = fit_pca(pool, x, 1.0);
  if (pca.variances.size() == 0)
    fail_input(fmt::format("{}: all rows are the same; they span nothing", rows.where()));
  const Vector length = (pca.variances * static_cast<double>(rows.rows() - 1)).cwiseSqrt();
  return length.cwiseInverse().asDiagonal() * pca.project(x);
}

}  // namespace

bool centers(KernelKind kind, std::optional<bool> wanted) {
  const bool may = kind == KernelKind::cosine || kind == KernelKind::linear;
  if (wanted && !may)
    fail_input(
        "`center` is for the kernels cosine and linear: rbf knows distances alone, and "
        "projection is of centred features; leave it out");
  return kind == KernelKind::projection || wanted.value_or(kind == KernelKind::cosine);
}

template <typename T>
double Kernel<T>::entry(Index i, Index j) const {
  const double product = z_.col(i).template cast<double>().dot(z_.col(j).template cast<double>());
  if (has_factor()) return scale_ * product;
  return scale_ * std::exp(gamma_ * std::max(0.0, squares_[i] + squares_[j] - 2.0 * product));
}

template <typename T>
typename Kernel<T>::Values Kernel<T>::tile(Index i, Index rows, Index j, Index cols) const {
  Values out = product(z_.middleCols(i, rows), true, z_.middleCols(j, cols), false);
  if (!has_factor()) {
    to_entries(out, i, j);
  } else if (scale_ != 1.0) {
    out *= static_cast<T>(scale_);
  }
  return out;
}

template <typename T>
void Kernel<T>::to_entries(Values& products, Index i, Index j) const {
  for (Index c = 0; c < products.cols(); ++c) {
    for (Index r = 0; r < products.rows(); ++r) {
      const double distance = i + r == j + c ? 0.0
                                             : squares_[i + r] + squares_[j + c] -
                                                   2.0 * static_cast<double>(products(r, c));
      products(r, c) = static_cast<T>(scale_ * std::exp(gamma_ * std::max(0.0, distance)));
    }
  }
}

template <typename T>
double Kernel<T>::trace() const {
  if (!has_factor()) return scale_ * static_cast<double>(count());
  double sum = 0.0;
  for (Index i = 0; i < count(); ++i) sum += z_.col(i).template cast<double>().squaredNorm();
  return scale_ * sum;
}

template <typename T>
double Kernel<T>::squared_norm(ThreadPool& pool) const {
  if (has_factor() && z_.rows() < count()) {
    Matrix gram = Matrix::Zero(z_.rows(), z_.rows());
    const GramUpdate<T> update{z_.data(), count(), &gram};
    add_to_grams(pool, std::span<const GramUpdate<T>>(&update, 1));
    const double diagonal = gram.diagonal().squaredNorm();
    const double lower =
        gram.template triangularView<Eigen::StrictlyLower>().toDenseMatrix().squaredNorm();
    return scale_ * scale_ * (diagonal + 2.0 * lower);
  }
  return sum_over_tiles(pool, count(), 1, [&](const Tile& t, double* out) {
    const Values part = tile(t.row, t.rows, t.col, t.cols);
    out[0] = t.weight() * part.template cast<double>().squaredNorm();
  })[0];
}

double median_over_pairs(Index count, std::uint64_t seed,
                         const std::function<double(Index, Index)>& f) {
  constexpr Index most = Index{1} << 18;
  std::vector<double> values;
  if (count * (count - 1) / 2 <= most) {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < i; ++j) values.push_back(f(i, j));
  } else {
    Random random(seed);
    while (static_cast<Index>(values.size()) < most) {
      const Index i = random.below(count);
      const Index j = random.below(count);
      if (i != j) values.push_back(f(i, j));
    }
  }
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

// The kernels of Task Priors, section 3.2; H K H = Z Z' by centring the columns of Z.
template <typename T>
Kernel<T> make_kernel(ThreadPool& pool, const RowSource& rows, const KernelOptions& options) {
  Kernel<T> out;
  switch (options.kind) {
    case KernelKind::cosine:
    case KernelKind::linear:
      out.z_ = read_vectors<T>(pool, rows, options.kind == KernelKind::cosine, options.center);
      break;
    case KernelKind::projection:
      out.z_ = orthonormal_factor(pool, rows).template cast<T>();
      break;
    case KernelKind::rbf: {
      out.z_ = read_vectors<T>(pool, rows, false, true);  // distances stay; rounding shrinks
      out.squares_ = out.z_.template cast<double>().colwise().squaredNorm().transpose();
      const double median = median_over_pairs(out.count(), options.seed, [&](Index i, Index j) {
        return (out.z_.col(i) - out.z_.col(j)).template cast<double>().norm();
      });
      if (!(median > 0.0)) {
        fail_input(
            fmt::format("{}: more than half of the pairs of rows are equal, so the rbf "
                        "kernel has no bandwidth; use `kernel` cosine",
                        rows.where()));
      }
      out.gamma_ = -0.5 / (median * median);
      break;
    }
  }
  if (options.normalize == Normalisation::none) return out;
  const double size =
      options.normalize == Normalisation::trace ? out.trace() : std::sqrt(out.squared_norm(pool));
  if (!(size > 0.0))
    fail_input(fmt::format("{}: the kernel is zero and cannot be normalised", rows.where()));
  out.scale_ = 1.0 / size;
  return out;
}

template <typename T>
Kernel<T> kernel_of_factor(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> z) {
  Kernel<T> out;
  out.z_ = std::move(z);
  return out;
}

template class Kernel<float>;
template class Kernel<double>;
template Kernel<float> make_kernel(ThreadPool&, const RowSource&, const KernelOptions&);
template Kernel<double> make_kernel(ThreadPool&, const RowSource&, const KernelOptions&);
template Kernel<float> kernel_of_factor(Eigen::MatrixXf);
template Kernel<double> kernel_of_factor(Eigen::MatrixXd);

}  // namespace assay
