#pragma once

#include <span>
#include <vector>

#include "learn/standardize.h"
#include "linalg/tridiagonal.h"
#include "metrics/samples.h"

namespace assay {

// Ridge regression of one-hot classes on standardised samples, with an intercept: what it leaves of
// every sample, under any penalty l, from one reduction.
//
// With S = Z Z' (primal, D x D, Z the standardised samples as columns) or Z'Z (dual, n x n), both
// reduced to Q T Q', the smoother is primal Z'(S + l)^-1 Z, dual I - l (S + l)^-1: of the same
// form in the rotated rows q_i = z_i'Q or e_i'Q. Its diagonal has the leverages h_i.
//
// T is what samples are multiplied in; everything else is double.
template <typename T>
class RidgeSmoother {
 public:
  using Block = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  // One penalty's fit to all samples.
  struct Fit {
    double penalty = 0.0;
    Matrix coefficients;  // p x C
    Block rough;          // the same, to multiply samples with; primal only
  };

  // Of some samples: residuals of the fit to all (C x samples) and the shares left, 1 - 1/n - h_i.
  // A residual divided by its share is that of a fit without the sample.
  struct Leaving {
    Matrix residuals;
    Vector shares;
  };

  // The same for many penalties (penalties x samples), residuals as sums of squares over classes.
  struct Surveyed {
    Matrix squares;
    Matrix shares;
    Vector totals;  // residual_squares of each penalty
  };

  // samples and features must outlive the smoother.
  RidgeSmoother(const Samples& samples, const Eigen::Ref<const Block>& features);

  // Of samples that are not held (Samples::streamed), more than they have dimensions: S and the
  // sums of classes come from their moments, the rest reads them tile by tile.
  RidgeSmoother(const Samples& samples, const Moments& moments);

  Index count() const { return samples_.count(); }
  Index classes() const { return samples_.classes(); }
  ThreadPool& pool() const { return samples_.pool(); }
  Label label(Index sample) const { return samples_.labels()[static_cast<std::size_t>(sample)]; }
  bool streamed() const { return samples_.streamed() != nullptr; }
  void release(std::span<const Index> done) const {
    samples_.release(done.front(), done.back() + 1);
  }
  double rounding() const { return rounding_; }  // of the products in S, relative to n

  // Sum of squares of all residuals of the fit to all. Cost: O(p C).
  double residual_squares(double penalty) const;

  // Cost: 2 p^2 flops a sample, and 2 p C for each penalty's squares.
  Surveyed survey(std::span<const Index> chosen, std::span<const double> penalties) const;

  // Shares alone, of all samples: penalties x n.
  Matrix shares_left(std::span<const double> penalties) const;

  Fit fit(double penalty) const;                                          // 4 p^2 C flops
  Matrix residuals(const Fit& fit, std::span<const Index> chosen) const;  // C x chosen

  // Under one penalty the shares come from the Cholesky factor of S + l, for half the flops a
  // sample: p^2. Empty when there is no such factor in double arithmetic. Only once: it is made
  // where S is kept.
  Block factor(double penalty);
  Leaving leave_out(const Fit& fit, const Block& factor, std::span<const Index> chosen) const;

 private:
  void standardize(std::span<const Index> chosen, Block& out) const;
  Block standardized() const;
  void reduce(Matrix s, const Matrix& right_side);
  Matrix kernel() const;
  Matrix gram();
  Matrix gram_of(const Moments& moments);
  Matrix class_sums() const;
  Matrix centered_targets() const;
  double share_of_class(Index c) const;
  Matrix solved(double penalty) const;
  double residual_squares_of(const Matrix& solved, double penalty) const;
  void unrotated(std::span<const Index> chosen, Block& columns) const;
  Matrix shares_of_forms(Matrix forms, std::span<const double> penalties) const;
  Matrix residuals_of(const Fit& fit, const Block& columns, std::span<const Index> chosen) const;

  const Samples& samples_;
  const Block nothing_;
  Eigen::Ref<const Block> features_;  // D x n, or nothing where samples are not held
  Index n_;
  bool dual_;
  Standardizer standard_;
  double rounding_ = 0.0;
  Vector diagonal_;    // of S
  Tridiagonal t_;      // the rest of S is kept above the diagonal of its reflectors
  Matrix right_side_;  // rotated, p x C
};

}  // namespace assay
