#pragma once

#include <vector>

#include "assay/thread_pool.h"
#include "assay/types.h"

namespace assay {

// Samples (r x n, one per column) about the means of their classes 0 ... C - 1.
struct ClassScatter {
  Matrix means;        // r x C
  Vector shares;       // C, of the samples
  Matrix within;       // r x r, lower triangle, divided by n
  double total = 0.0;  // trace of the covariance of all samples, divided by n
};

ClassScatter class_scatter(ThreadPool& pool, const Matrix& samples,
                           const std::vector<Label>& labels, const std::vector<Index>& counts);

// Linear discriminant analysis with one shrunk covariance for all classes,
//
//     S = (1 - a) W + a tr(W) / dim I
//     log p(c | x) = x'S^-1 m_c - m_c'S^-1 m_c / 2 + log share_c
//
// up to a constant. `dim`: of the features, of which the samples may be coordinates in their span.
// Where W is singular and `a` too small to mend it, its empty directions hold rounding of the
// samples' own variance, so that classes that differ there are told apart for certain.
class Discriminant {
 public:
  Discriminant(const ClassScatter& scatter, double shrinkage, Index dim);

  Matrix posteriors(const Matrix& samples) const;  // C x n

  // L^-1 x with S = L L'.
  Matrix whiten(Matrix samples) const;

 private:
  Matrix factor_;
  Matrix weights_;     // r x C
  Vector intercepts_;  // C
};

// Mean over the samples of the posterior of their own class.
double mean_own_posterior(const Matrix& posteriors, const std::vector<Label>& labels);

}  // namespace assay
