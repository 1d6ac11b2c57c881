#include "learn/row_space.h"

#include <algorithm>
#include <limits>

#include "linalg/eigen.h"
#include "linalg/gram.h"

namespace assay {
namespace {

Matrix with_constant(const Matrix& samples, double constant) {
  Matrix out(samples.rows() + 1, samples.cols());
  out.topRows(samples.rows()) = samples;
  out.bottomRows(1).setConstant(constant);
  return out;
}

// a b, its columns shared out over the threads.
Matrix product_by_columns(ThreadPool& pool, const Matrix& a, bool transpose_a, const Matrix& b) {
  constexpr Index width = 128;
  Matrix out(transpose_a ? a.cols() : a.rows(), b.cols());
  pool.run((b.cols() + width - 1) / width, [&](Index task) {
    const Index first = task * width;
    const Index count = std::min(width, b.cols() - first);
    out.middleCols(first, count) = product(a, transpose_a, b.middleCols(first, count), false);
  });
  return out;
}

// The lower triangle of x'x + constant^2.
Matrix kernel_with_constant(ThreadPool& pool, const Matrix& x, double constant) {
  constexpr Index width = 128;
  const Index n = x.cols();
  Matrix out = Matrix::Zero(n, n);
  pool.run((n + width - 1) / width, [&](Index task) {
    const Index first = task * width;
    const Index count = std::min(width, n - first);
    out.block(first, first, n - first, count).array() =
        product(x.rightCols(n - first), true, x.middleCols(first, count), false).array() +
        constant * constant;
  });
  return out;
}

// Directions whose eigenvalue is only rounding are left out; those kept come largest first.
Index kept(const Vector& ascending, Index samples) {
  const double cut = ascending.tail(1)[0] *
                     static_cast<double>(std::max(samples, ascending.size())) *
                     std::numeric_limits<double>::epsilon();
  return std::count_if(ascending.begin(), ascending.end(), [&](double s) { return s > cut; });
}

}  // namespace

// The representer theorem in coordinates: a penalised linear model lives in the span of the samples
// (row_space.h).
RowSpace row_space(ThreadPool& pool, const Matrix& samples, bool basis, double constant) {
  const Index n = samples.cols();
  RowSpace out;
  out.constant = constant;
  if (n > samples.rows() + 1) {
    const Matrix x = with_constant(samples, constant);
    Matrix gram = Matrix::Zero(x.rows(), x.rows());
    const GramUpdate<double> update{x.data(), n, &gram};
    add_to_grams(pool, std::span<const GramUpdate<double>>(&update, 1));
    const SymmetricEigen eigen = symmetric_eigen(std::move(gram));
    const Index r = kept(eigen.values, n);
    out.spectrum = eigen.values.tail(r).reverse();
    out.basis = eigen.vectors.rightCols(r).rowwise().reverse();
    out.z = product_by_columns(pool, out.basis, true, x);
    return out;
  }
  const SymmetricEigen eigen = symmetric_eigen(kernel_with_constant(pool, samples, constant));
  const Index r = kept(eigen.values, n);
  out.spectrum = eigen.values.tail(r).reverse();
  const Matrix u = eigen.vectors.rightCols(r).rowwise().reverse();
  const Vector s = out.spectrum.cwiseSqrt();
  out.z = s.asDiagonal() * u.transpose();
  if (basis) {
    out.basis = product_by_columns(pool, with_constant(samples, constant), false, u) *
                s.cwiseInverse().asDiagonal();
  }
  return out;
}

Matrix RowSpace::map(const Matrix& samples) const {
  Matrix out = product(basis.topRows(samples.rows()), true, samples, false);
  out.colwise() += constant * basis.bottomRows(1).transpose().col(0);
  return out;
}

}  // namespace assay
