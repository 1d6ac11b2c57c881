#include "metrics/left_out_fit.h"

#include <algorithm>
#include <cmath>

#include "linalg/eigen.h"
#include "linalg/gram.h"

namespace assay {
namespace {

// A fit that interpolates (t = 0) leaves 0 / 0 of a residual by its share; this close to it both
// still have seven digits.
constexpr double kLeastShift = 1e-9;
constexpr double kLeastShare = 1e-12;

SymmetricEigen eigen_of(const Tridiagonal& t) {
  Matrix dense = Matrix::Zero(t.size(), t.size());
  dense.diagonal() = t.diagonal;
  if (t.size() > 1) dense.diagonal(-1) = t.off_diagonal;
  return symmetric_eigen(std::move(dense));
}

// F'y along the principal directions: U'Q'F'y, or on the side of the samples sqrt(s) U'Q'y.
Matrix vectors_of_targets(const Reduced& reduced, const SymmetricEigen& eigen, Index kept) {
  Matrix out =
      reduced.unit * product(eigen.vectors.rightCols(kept), true, reduced.projected, false);
  if (reduced.dual) out.array().colwise() *= eigen.values.tail(kept).cwiseMax(0.0).array().sqrt();
  return out;
}

}  // namespace

// S = Q T Q' and T = U s U', so the principal directions are QU on the side of the features and
// F'QU / sqrt(s) on the side of the samples; eigenvalues below the cut are noise.
LeftOutFit::LeftOutFit(const LogmeFit& fit)
    : weights_(fit.weights),
      intercept_(fit.intercept),
      center_(fit.feature_mean),
      share_(fit.share) {
  const Reduced& reduced = fit.reduced;
  const SymmetricEigen eigen = eigen_of(reduced.tridiagonal);
  const Index kept = std::min<Index>(reduced.rank, eigen.values.size());
  const Vector s = eigen.values.tail(kept).cwiseMax(0.0);
  Matrix vectors = reduced.tridiagonal.rotate_back(eigen.vectors.rightCols(kept));
  if (reduced.dual) {
    directions_ = product(fit.feature_basis, false, vectors, false);
    directions_.array().rowwise() /= directions_.colwise().norm().array().max(1e-300);
  } else {
    directions_ = std::move(vectors);
  }
  const double square = reduced.unit * reduced.unit;
  const double least = kept > 0 ? kLeastShift * s.maxCoeff() : 0.0;
  shrinkage_ = Matrix::Zero(kept, weights_.cols());
  for (Index c = 0; c < weights_.cols(); ++c) {
    const EvidenceColumn& column = fit.columns[static_cast<std::size_t>(c)];
    left_out_.push_back(column.kind != EvidenceCase::skipped);
    if (!left_out_.back() || column.kind == EvidenceCase::uninformative) continue;
    const double t = std::max(column.t / square, least);
    shrinkage_.col(c) = ((s.array() + t) * square).inverse();
    if (column.t / square >= least) continue;
    // m at the shift in force: residuals and shares must belong to the same fit.
    const Vector along = vectors_of_targets(reduced, eigen, kept).col(c);
    weights_.col(c) = directions_ * shrinkage_.col(c).cwiseProduct(along);
    if (share_ > 0.0) intercept_[c] += (fit.weights.col(c) - weights_.col(c)).dot(fit.feature_mean);
  }
}

Matrix LeftOutFit::predictions(const Matrix& samples, Index views, const Matrix& targets) const {
  Matrix out = product(weights_, true, samples, false);
  out.colwise() += intercept_;
  Matrix about = samples;
  if (center_.size() > 0) about.colwise() -= center_;
  const Matrix seen = product(directions_, true, about, false);
  for (Index row = 0; row < targets.cols(); ++row) {
    const Index first = row * views;
    const Matrix beside = seen.middleCols(first, views).array().colwise() * seen.col(first).array();
    const Matrix k =
        product(shrinkage_, true, beside, false).array() + share_;  // C x views; k(f, f_i)
    const Vector residual = targets.col(row) - out.col(first);
    for (Index c = 0; c < out.rows(); ++c) {
      if (!left_out_[static_cast<std::size_t>(c)]) continue;
      const double error = residual[c] / std::max(1.0 - k(c, 0), kLeastShare);
      out.row(c).segment(first, views) -= error * k.row(c);
    }
  }
  return out;
}

}  // namespace assay
