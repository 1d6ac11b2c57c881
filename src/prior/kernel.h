#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "assay/prior.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Whether a kernel is centred, by the caller's wish (nothing: only cosine is). Throws Error for a
// wish that means nothing: rbf knows distances alone, projection is of centred features.
bool centers(KernelKind kind, std::optional<bool> wanted);

// An n x n kernel matrix that is never stored: entries come from n vectors, in tiles. T is float
// for large n (products in float, good to 1e-6 of the largest entry) or double.
//
// With Z the rows normalised and then its columns centred, H K H = Z Z': centring costs nothing,
// and H never appears.
template <typename T>
class Kernel {
 public:
  using Values = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  Index count() const { return z_.cols(); }

  // K = scale z'z with z one column per sample; not for rbf.
  bool has_factor() const { return gamma_ == 0.0; }
  const Values& factor() const& { return z_; }
  Values factor() && { return std::move(z_); }
  double scale() const { return scale_; }

  double entry(Index i, Index j) const;

  // K(i ... i + rows, j ... j + cols), column-major.
  Values tile(Index i, Index rows, Index j, Index cols) const;

  // Sum of the diagonal, and of all squares. The second costs n r min(n, r) flops with a factor,
  // n^2 r without.
  double trace() const;
  double squared_norm(ThreadPool& pool) const;

 private:
  template <typename U>
  friend Kernel<U> make_kernel(ThreadPool&, const RowSource&, const KernelOptions&);
  template <typename U>
  friend Kernel<U> kernel_of_factor(Eigen::Matrix<U, Eigen::Dynamic, Eigen::Dynamic>);

  void to_entries(Values& products, Index i, Index j) const;  // of rbf

  Values z_;        // r x n
  Vector squares_;  // rbf: squared norms
  double gamma_ = 0.0;
  double scale_ = 1.0;
};

// Reads the rows block by block. Throws Error for NaN and infinities, for rows of zeros under
// cosine (they have no direction), for values beyond 1e60 under the other kernels, for rows that
// are all the same under rbf and projection, and for a kernel of zeros that is to be normalised.
template <typename T>
Kernel<T> make_kernel(ThreadPool& pool, const RowSource& rows, const KernelOptions& options);

// z'z, as it is.
template <typename T>
Kernel<T> kernel_of_factor(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> z);

// The median of f over the pairs i < j: over all of them when there are at most 2^18, else over
// that many seeded ones. Pairs where f is NaN do not count; 0 when none is left.
double median_over_pairs(Index count, std::uint64_t seed,
                         const std::function<double(Index, Index)>& f);

// Kernels of this many samples are computed in double unless told otherwise: it costs a second.
constexpr Index kExactCount = 2048;

}  // namespace assay
