#include "linalg/pivoted_cholesky.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "linalg/lapack.h"

namespace assay {

// Higham, Accuracy and Stability of Numerical Algorithms, section 10.3 (complete pivoting), stopped
// at a cut of the caller's.
PivotedCholesky pivoted_cholesky(Matrix upper, double cut) {
  assert(upper.rows() == upper.cols());
  const int p = static_cast<int>(upper.rows());
  PivotedCholesky out;
  // LAPACK looks at the cut from the second step on, and takes a negative one for its own.
  if (p == 0 || !(upper.diagonal().maxCoeff() > cut)) {
    out.factor.resize(0, p);
    for (Index k = 0; k < p; ++k) out.order.push_back(k);
    return out;
  }
  std::vector<int> pivots(static_cast<std::size_t>(p));
  std::vector<double> work(2 * static_cast<std::size_t>(p));
  int rank = 0;
  int info = 0;
  dpstrf_("U", &p, upper.data(), &p, pivots.data(), &rank, &cut, work.data(), &info);
  for (const int pivot : pivots) out.order.push_back(pivot - 1);
  out.factor = upper.topRows(rank).triangularView<Eigen::Upper>();
  out.smallest = out.factor.diagonal().cwiseAbs2().minCoeff();
  return out;
}

Vector projected_squares(Matrix basis, Matrix columns) {
  assert(basis.rows() == columns.rows() && basis.cols() <= basis.rows());
  const int n = static_cast<int>(basis.rows());
  const int rank = static_cast<int>(basis.cols());
  const int count = static_cast<int>(columns.cols());
  if (rank == 0 || count == 0) return Vector::Zero(count);
  Vector scalars(rank);
  const int size = 64 * std::max(rank, count);
  std::vector<double> work(static_cast<std::size_t>(size));
  int info = 0;
  dgeqrf_(&n, &rank, basis.data(), &n, scalars.data(), work.data(), &size, &info);
  dormqr_("L", "T", &n, &count, &rank, basis.data(), &n, scalars.data(), columns.data(), &n,
          work.data(), &size, &info);
  return columns.topRows(rank).colwise().squaredNorm().transpose();
}

}  // namespace assay
