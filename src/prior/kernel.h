#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "assay/prior.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Whether a kernel is centred, by the caller's wish (nothing: only cosine is). Throws Error for a
// wish that means nothing: projection and ridge are of centred features.
bool centers(KernelKind kind, std::optional<bool> wanted);

// An n x n kernel matrix that is never stored: entries come from n vectors, in tiles. T is float
// for large n (products in float, good to 1e-6 of the largest entry) or double.
//
// With Z the rows normalised and then its columns centred, H K H = Z Z': centring costs nothing,
// and H never appears. An rbf kernel has no such Z: centred, it keeps the means of its rows.
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

  // Divides all entries by the norm or the trace. Throws Error for a kernel of zeros.
  void normalise(ThreadPool& pool, Normalisation by, const std::string& where);

  // Sum of the diagonal, and of all squares. The second costs n r min(n, r) flops with a factor,
  // n^2 r without.
  double trace() const;
  double squared_norm(ThreadPool& pool) const;

 private:
  template <typename U>
  friend Kernel<U> make_kernel(ThreadPool&, const RowSource&, const KernelOptions&);
  template <typename U>
  friend Kernel<U> kernel_of_factor(Eigen::Matrix<U, Eigen::Dynamic, Eigen::Dynamic>);

  // Of rbf.
  void set_distances(const RowSource& rows, std::uint64_t seed);
  void set_means(ThreadPool& pool);
  double centre(Index i, Index j) const { return means_.size() > 0 ? means_[i] + means_[j] : 0.0; }
  void to_entries(Values& products, Index i, Index j) const;

  Values z_;        // r x n
  Vector squares_;  // rbf: squared norms
  Vector means_;    // centred rbf: of each row, minus half of the mean of all; scaled as entries
  double gamma_ = 0.0;
  double scale_ = 1.0;
};

// Reads the rows block by block. Throws Error for what read_vectors refuses, for rows that are all
// the same under rbf, projection and ridge, and for a kernel of zeros that is to be normalised. For
// ridge the penalty must be a number or the mean eigenvalue: `loo` hangs on a prior.
template <typename T>
Kernel<T> make_kernel(ThreadPool& pool, const RowSource& rows, const KernelOptions& options);

// z'z, as it is, or divided as asked; `where` names it in messages.
template <typename T>
Kernel<T> kernel_of_factor(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> z);
template <typename T>
Kernel<T> kernel_of_factor(ThreadPool& pool, const Matrix& z, Normalisation normalize,
                           const std::string& where);

// The median of f over the pairs i < j: over all of them when there are at most 2^18, else over
// that many seeded ones. Pairs where f is NaN do not count; 0 when none is left.
double median_over_pairs(Index count, std::uint64_t seed,
                         const std::function<double(Index, Index)>& f);

// Kernels of this many samples are computed in double unless told otherwise: it costs a second.
constexpr Index kExactCount = 2048;

}  // namespace assay
