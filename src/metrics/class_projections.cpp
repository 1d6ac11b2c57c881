#include "metrics/class_projections.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/cholesky.h"
#include "linalg/pivoted_cholesky.h"

namespace assay {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double cut_of(const Problem& problem) {
  return 4.0 * static_cast<double>(problem.count() + problem.dim()) * kEpsilon;
}

// The second moments that wait above the reduced matrix (Reduced::centered_diagonal).
Matrix waiting_matrix(const Reduced& reduced) {
  Matrix out = reduced.tridiagonal.reflectors.triangularView<Eigen::StrictlyUpper>();
  out.diagonal() = reduced.centered_diagonal;
  return out;
}

// |1_c - mean|^2: no projection is longer.
Vector whole_squares(const Problem& problem) {
  const Vector& counts = problem.target_sums();
  return counts - counts.cwiseAbs2() / static_cast<double>(problem.count());
}

double sum_over_classes(const Vector& squares, const Vector& counts) {
  double sum = 0.0;
  for (Index c = 0; c < squares.size(); ++c) {
    if (counts[c] > 0.0) sum += squares[c] / counts[c];
  }
  return sum;
}

// b'R^-1 b with R the correlations of the features and b = Z'1_c. To first order an error E of R
// changes it by w'E w, w = R^-1 b: sqrt(2) |w|^2 times the size of E's entries, if these are
// independent.
ClassProjections from_correlations(const Problem& problem) {
  const Reduced& reduced = problem.reduced();
  const auto varying = static_cast<Index>((reduced.centered_diagonal.array() > 0.0).count());
  const double noise =
      2.0 * reduced.entry_rounding * std::sqrt(static_cast<double>(std::max<Index>(varying, 1)));
  const PivotedCholesky u = pivoted_cholesky(waiting_matrix(reduced), cut_of(problem) + noise);
  ClassProjections out{Vector::Zero(problem.columns()), u.rank(), 0.0};
  if (u.rank() == 0) return out;
  const std::vector<Index> taken(u.order.begin(), u.order.begin() + u.rank());
  const Matrix factor = u.factor.leftCols(u.rank()).transpose();
  const Matrix y = solve_lower(factor, Matrix(reduced.standard_cross(taken, Eigen::all)));
  out.squares =
      y.colwise().squaredNorm().transpose().cwiseMin(whole_squares(problem)).cwiseMax(0.0);
  const double typical = kEpsilon * std::sqrt(static_cast<double>(problem.count()));
  const Matrix w = solve_lower_transposed(factor, y);
  out.error = std::sqrt(2.0) * std::hypot(reduced.entry_rounding, typical) *
              sum_over_classes(w.colwise().squaredNorm().transpose(), problem.target_sums());
  if (noise > 0.0 && (u.rank() < varying || u.smallest <= 2.0 * (cut_of(problem) + noise)))
    out.error = std::numeric_limits<double>::infinity();
  return out;
}

// On the side of the samples, Fc Fc' = L L': the span of the features is the range of L. It is
// everything that is orthogonal to the constant once the rank is n - 1.
ClassProjections from_kernel(const Problem& problem) {
  const Reduced& reduced = problem.reduced();
  const Index n = problem.count();
  const PivotedCholesky u =
      pivoted_cholesky(waiting_matrix(reduced), cut_of(problem) * reduced.largest_square);
  ClassProjections out{Vector::Zero(problem.columns()), std::min(u.rank(), n - 1), 0.0};
  if (u.rank() == 0) return out;
  if (u.rank() >= n - 1) {
    out.squares = whole_squares(problem);
    return out;
  }
  const Matrix targets = reduced.tridiagonal.rotate_back(reduced.projected);
  Matrix ordered(n, targets.cols());
  for (Index k = 0; k < n; ++k) ordered.row(k) = targets.row(u.order[static_cast<std::size_t>(k)]);
  ordered.rowwise() -= ordered.colwise().mean().eval();
  out.squares = projected_squares(Matrix(u.factor.transpose()), std::move(ordered))
                    .cwiseMin(whole_squares(problem));
  // A range turns by the rounding of the kernel over its smallest direction.
  out.error = kEpsilon * std::sqrt(static_cast<double>(n)) * reduced.largest_square / u.smallest;
  return out;
}

}  // namespace

// |P 1_c|^2, the part of a class that H-score counts (Bao et al., ICIP 2019). The cut 4 (n + D) eps
// is derived in class_projections.h.
ClassProjections class_projections(const Problem& problem) {
  return problem.reduced().dual ? from_kernel(problem) : from_correlations(problem);
}

}  // namespace assay
