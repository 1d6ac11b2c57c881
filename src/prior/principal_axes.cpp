#include "prior/principal_axes.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "assay/error.h"
#include "data/read_samples.h"
#include "learn/pca.h"
#include "linalg/eigen.h"
#include "prior/kernel_vectors.h"

namespace assay {
namespace {

// A kernel matrix computed elsewhere, in float perhaps, is only as symmetric and as positive as its
// rounding lets it be.
constexpr double kKernelRounding = 1e-6;

Matrix read_kernel(ThreadPool& pool, const RowSource& rows) {
  if (rows.rows() != rows.cols()) {
    fail_input(fmt::format("{}: {} x {}; a kernel matrix is square", rows.where(), rows.rows(),
                           rows.cols()));
  }
  Matrix k = read_samples(pool, rows);
  const double largest = k.cwiseAbs().maxCoeff();
  if ((k - k.transpose()).cwiseAbs().maxCoeff() > kKernelRounding * largest)
    fail_input(fmt::format("{}: not a kernel: it is not symmetric", rows.where()));
  return k;
}

}  // namespace

PrincipalAxes principal_axes(ThreadPool& pool, const RowSource& rows, bool unit_length) {
  const Matrix x = read_vectors<double>(pool, rows, unit_length, true);
  const Pca pca = fit_pca(pool, x, 1.0);
  if (pca.variances.size() == 0)
    fail_input(fmt::format("{}: all rows are the same; they span nothing", rows.where()));
  return {pca.project(x), pca.variances * static_cast<double>(rows.rows() - 1)};
}

PrincipalAxes kernel_axes(ThreadPool& pool, const RowSource& rows, bool center) {
  Matrix k = read_kernel(pool, rows);
  if (center) {
    k.rowwise() -= k.colwise().mean().eval();
    k.colwise() -= k.rowwise().mean().eval();
  }
  const Index n = k.rows();
  const SymmetricEigen eigen = symmetric_eigen(std::move(k));
  const double largest = eigen.values[n - 1];
  if (!(largest > 0.0) || eigen.values[0] < -kKernelRounding * largest) {
    fail_input(
        fmt::format("{}: not a kernel: it is not positive semi-definite (eigenvalues {:g} to {:g})",
                    rows.where(), eigen.values[0], largest));
  }
  const double cut = largest * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  Index rank = 0;
  while (rank < n && eigen.values[n - 1 - rank] > cut) ++rank;
  PrincipalAxes out;
  out.spectrum = eigen.values.tail(rank).reverse();
  out.z = out.spectrum.cwiseSqrt().asDiagonal() *
          eigen.vectors.rightCols(rank).rowwise().reverse().transpose();
  return out;
}

Matrix ridge_factor(const PrincipalAxes& axes, double penalty) {
  return (axes.spectrum.array() + penalty).rsqrt().matrix().asDiagonal() * axes.z;
}

}  // namespace assay
