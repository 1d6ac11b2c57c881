#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/types.h"
#include "data/moments.h"
#include "data/row_kernel.h"
#include "linalg/tridiagonal.h"

namespace assay {

// Second moments of features and targets after reduction to tridiagonal form:
// what the moment-based metrics work on. With S = F'F (primal, n > D) or S = F F'
// (dual, n <= D), both divided by unit^2, S = Q T Q':
//
//     primal   projected = Q'F'Y / unit     |y|^2 - phi(t) = q(t)
//     dual     projected = Q'Y              t phi(t)       = q(t)
//
// with phi(t) = b'(T + tI)^-1 b of a projected column b and q the regularised
// residual sum of squares at t.
struct Reduced {
  Index count = 0;  // n; n - 1 when centred, for the intercept
  bool dual = false;
  Tridiagonal tridiagonal;  // largest eigenvalue in [1/4, 4), unless all are zero
  double unit = 1.0;        // a power of two
  Vector feature_mean;      // D, what was taken off the features; primal and centred only
  Index rank = 0;           // eigenvalues above a relative cut; the others are set to zero
  Matrix projected;         // p x C
  double rounding = 0.0;    // eigenvalues up to this are nothing else
  double cut = 0.0;         // the same with the noise of products taken in float
  // A mean far from zero beside what varies has been turned into the first coordinate: all of it is
  // then in the first entry of T and the first row of `projected`. What these are about the means,
  // where the rest is the same:
  bool mean_apart = false;
  double centered_first = 0.0;
  Vector centered_row;   // C
  Vector target_square;  // C
  // About the mean, centred or not: trace / unit^2 and squared Frobenius norm / unit^4 of the Gram
  // matrix, and the sum of |f - mean|^4 / unit^4.
  double centered_trace = 0.0;
  double centered_square = 0.0;
  double fourth = 0.0;
  // Squared length of every target column's products with the features about their means /
  // unit^2; primal only, on the side of the samples it follows from `projected`.
  Vector centered_cross;
  // Entry (i, j) of the matrix before its reduction is off by about noise_i noise_j; empty when
  // its products were taken in double.
  Vector noise;
  // For H-score, which does not change with the scale of a feature. Above the diagonal of
  // tridiagonal.reflectors, where the reduction leaves what stands there: in the primal case the
  // correlations of the features, in the dual one the kernel about the mean.
  Vector centered_diagonal;     // its diagonal; primal: 1, or 0 for a constant feature
  Matrix standard_cross;        // primal: Z'Y, Z the features about their means with columns of
                                // unit length; empty in the dual case
  double entry_rounding = 0.0;  // primal: what float products put on each correlation
  double largest_square = 0.0;  // dual: largest |f_i|^2, in the units of that kernel
  // A few features, or on the side of the samples the mean, are so large that sums of squares keep
  // fewer than three digits of a typical feature.
  bool ill_scaled = false;
  // Eigenvalues that double would keep lie within that noise: these products were too coarse.
  bool too_coarse = false;
};

// What a metric may see of one model on one data set: everything has been
// checked, nothing here can fail.
class Problem {
 public:
  // From one pass over more samples than dimensions. `center` adds an intercept by
  // centring features and targets.
  Problem(Moments moments, bool center);

  // From the kernel of no more samples than dimensions, and n x C targets.
  Problem(RowKernel kernel, Index dim, Matrix targets, bool center);

  Index count() const { return count_; }
  Index dim() const { return dim_; }
  Index columns() const { return target_sum_.size(); }

  // Sums of the target columns: class counts for classes.
  const Vector& target_sums() const { return target_sum_; }
  bool centered() const { return center_; }

  // Columns that vary: a class without samples, or a constant target, carries nothing.
  const std::vector<bool>& active() const { return active_; }

  // The second moments, consumed from what the problem was built of: computed on
  // the first call, shared by all metrics after it. Not for several threads at once.
  const Reduced& reduced() const;

 private:
  void find_active(const Vector& target_square);
  void keep_correlations() const;
  void reduce_moments() const;
  void reduce_kernel() const;

  Index count_ = 0;
  Index dim_ = 0;
  bool center_ = false;
  Vector target_sum_;
  std::vector<bool> active_;
  mutable std::optional<Moments> moments_;
  mutable RowKernel kernel_;
  mutable Matrix targets_;
  mutable std::optional<Reduced> reduced_;
};

}  // namespace assay
