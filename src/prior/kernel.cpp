#include "prior/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/random.h"
#include "linalg/gram.h"
#include "prior/kernel_vectors.h"
#include "prior/principal_axes.h"
#include "prior/tiles.h"

namespace assay {

bool centers(KernelKind kind, std::optional<bool> wanted) {
  const bool always = kind == KernelKind::projection || kind == KernelKind::ridge;
  if (wanted && always)
    fail_input(
        "`center` is for the kernels cosine, linear and rbf: projection and ridge are of centred "
        "features; leave it out");
  return always || wanted.value_or(kind == KernelKind::cosine);
}

template <typename T>
double Kernel<T>::entry(Index i, Index j) const {
  const double product = z_.col(i).template cast<double>().dot(z_.col(j).template cast<double>());
  if (has_factor()) return scale_ * product;
  const double distance = std::max(0.0, squares_[i] + squares_[j] - 2.0 * product);
  return scale_ * (std::exp(gamma_ * distance) - centre(i, j));
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
      const double entry = std::exp(gamma_ * std::max(0.0, distance)) - centre(i + r, j + c);
      products(r, c) = static_cast<T>(scale_ * entry);
    }
  }
}

template <typename T>
double Kernel<T>::trace() const {
  if (!has_factor()) return scale_ * (static_cast<double>(count()) - 2.0 * means_.sum());
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

// h, the median distance, and what distances need.
template <typename T>
void Kernel<T>::set_distances(const RowSource& rows, std::uint64_t seed) {
  squares_ = z_.template cast<double>().colwise().squaredNorm().transpose();
  const double median = median_over_pairs(count(), seed, [&](Index i, Index j) {
    return (z_.col(i) - z_.col(j)).template cast<double>().norm();
  });
  if (!(median > 0.0)) {
    fail_input(
        fmt::format("{}: more than half of the pairs of rows are equal, so the rbf "
                    "kernel has no bandwidth; use `kernel` cosine",
                    rows.where()));
  }
  gamma_ = -0.5 / (median * median);
}

// [HKH]_ij = K_ij - (mean of row i) - (mean of row j) + (mean of all). Costs one pass over K.
template <typename T>
void Kernel<T>::set_means(ThreadPool& pool) {
  const Index side = tile_side(count());
  Vector means(count());
  pool.run((count() + side - 1) / side, [&](Index task) {
    const Index first = task * side;
    const Index rows = std::min(side, count() - first);
    Vector sum = Vector::Zero(rows);
    for (Index col = 0; col < count(); col += side) {
      const Values part = tile(first, rows, col, std::min(side, count() - col));
      sum += part.template cast<double>().rowwise().sum();
    }
    means.segment(first, rows) = sum / static_cast<double>(count());
  });
  means_ = means.array() - 0.5 * means.mean();
}

template <typename T>
void Kernel<T>::normalise(ThreadPool& pool, Normalisation by, const std::string& where) {
  if (by == Normalisation::none) return;
  const double size = by == Normalisation::trace ? trace() : std::sqrt(squared_norm(pool));
  if (!(size > 0.0))
    fail_input(fmt::format("{}: the kernel is zero and cannot be normalised", where));
  scale_ = 1.0 / size;
}

template <typename T>
Kernel<T> make_kernel(ThreadPool& pool, const RowSource& rows, const KernelOptions& options) {
  Kernel<T> out;
  switch (options.kind) {
    case KernelKind::cosine:
    case KernelKind::linear:
      out.z_ = read_vectors<T>(pool, rows, options.kind == KernelKind::cosine, options.center);
      break;
    case KernelKind::projection:
      out.z_ = ridge_factor(principal_axes(pool, rows, false), 0.0).template cast<T>();
      break;
    case KernelKind::ridge: {
      const PrincipalAxes axes = principal_axes(pool, rows, options.unit_length);
      out.z_ = ridge_factor(axes, options.penalty.known(axes.mean_eigenvalue())).template cast<T>();
      break;
    }
    case KernelKind::rbf:
      out.z_ = read_vectors<T>(pool, rows, false, true);  // distances stay; rounding shrinks
      out.set_distances(rows, options.seed);
      if (options.center) out.set_means(pool);
      break;
  }
  out.normalise(pool, options.normalize, rows.where());
  return out;
}

template <typename T>
Kernel<T> kernel_of_factor(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> z) {
  Kernel<T> out;
  out.z_ = std::move(z);
  return out;
}

template <typename T>
Kernel<T> kernel_of_factor(ThreadPool& pool, const Matrix& z, Normalisation normalize,
                           const std::string& where) {
  Kernel<T> out = kernel_of_factor<T>(z.template cast<T>());
  out.normalise(pool, normalize, where);
  return out;
}

template class Kernel<float>;
template class Kernel<double>;
template Kernel<float> make_kernel(ThreadPool&, const RowSource&, const KernelOptions&);
template Kernel<double> make_kernel(ThreadPool&, const RowSource&, const KernelOptions&);
template Kernel<float> kernel_of_factor(Eigen::MatrixXf);
template Kernel<double> kernel_of_factor(Eigen::MatrixXd);
template Kernel<float> kernel_of_factor(ThreadPool&, const Matrix&, Normalisation,
                                        const std::string&);
template Kernel<double> kernel_of_factor(ThreadPool&, const Matrix&, Normalisation,
                                         const std::string&);

}  // namespace assay
