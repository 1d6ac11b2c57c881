#include "linalg/cholesky.h"

#include <cassert>
#include <limits>
#include <utility>

#include "linalg/lapack.h"

namespace assay {
namespace {

Matrix solve(const Matrix& factor, const char* transpose, Matrix b) {
  assert(factor.rows() == b.rows());
  if (b.size() == 0) return b;
  const double one = 1.0;
  const int p = static_cast<int>(b.rows());
  const int columns = static_cast<int>(b.cols());
  dtrsm_("L", "L", transpose, "N", &p, &columns, &one, factor.data(), &p, b.data(), &p);
  return b;
}

Eigen::MatrixXf solve(const Eigen::MatrixXf& factor, const char* transpose, Eigen::MatrixXf b) {
  assert(factor.rows() == b.rows());
  if (b.size() == 0) return b;
  const float one = 1.0F;
  const int p = static_cast<int>(b.rows());
  const int columns = static_cast<int>(b.cols());
  strsm_("L", "L", transpose, "N", &p, &columns, &one, factor.data(), &p, b.data(), &p);
  return b;
}

}  // namespace

// LAPACK dpotrf; solves are BLAS dtrsm.
std::optional<Matrix> cholesky(Matrix lower) {
  assert(lower.rows() == lower.cols());
  const int p = static_cast<int>(lower.rows());
  if (p == 0) return lower;
  int info = 0;
  dpotrf_("L", &p, lower.data(), &p, &info);
  if (info != 0) return std::nullopt;
  lower.triangularView<Eigen::StrictlyUpper>().setZero();
  return lower;
}

bool cholesky_above(Matrix& matrix) {
  assert(matrix.rows() == matrix.cols() && matrix.rows() > 0);
  const int p = static_cast<int>(matrix.rows());
  int info = 0;
  dpotrf_("U", &p, matrix.data(), &p, &info);
  return info == 0;
}

double log_determinant(Matrix lower) {
  const std::optional<Matrix> factor = cholesky(std::move(lower));
  if (!factor) return std::numeric_limits<double>::quiet_NaN();
  return 2.0 * factor->diagonal().array().log().sum();
}

Matrix solve_lower(const Matrix& factor, Matrix b) { return solve(factor, "N", std::move(b)); }

Eigen::MatrixXf solve_lower(const Eigen::MatrixXf& factor, Eigen::MatrixXf b) {
  return solve(factor, "N", std::move(b));
}

Matrix solve_lower_transposed(const Matrix& factor, Matrix b) {
  return solve(factor, "T", std::move(b));
}

Eigen::MatrixXf solve_lower_transposed(const Eigen::MatrixXf& factor, Eigen::MatrixXf b) {
  return solve(factor, "T", std::move(b));
}

}  // namespace assay
