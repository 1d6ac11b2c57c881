#include "prior/entry_factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/error.h"

namespace assay {

Matrix pivoted_cholesky(const Vector& diagonal, const std::function<Vector(Index)>& column,
                        const std::string& where) {
  constexpr double negligible = 1e-10;
  const Index n = diagonal.size();
  Vector left = diagonal;
  const double trace = diagonal.sum();
  Index capacity = std::min<Index>(n, 64);
  Matrix rows(n, capacity);  // columns of L, n each
  Index rank = 0;
  while (rank < n) {
    Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    const double smallest = left.minCoeff();
    if (smallest < -1e-8 * trace || !(trace > 0.0)) {
      fail_input(fmt::format(
          "{}: not a kernel: it is not positive semi-definite (rest {:g} of trace {:g})", where,
          smallest, trace));
    }
    if (left.cwiseMax(0.0).sum() <= negligible * trace || largest <= 0.0) break;
    if (rank == capacity) {
      capacity = std::min(n, 2 * capacity);
      rows.conservativeResize(Eigen::NoChange, capacity);
    }
    Vector next = column(pivot);
    next -= rows.leftCols(rank) * rows.row(pivot).head(rank).transpose();
    next /= std::sqrt(largest);
    rows.col(rank) = next;
    left -= next.cwiseAbs2();
    left[pivot] = 0.0;
    ++rank;
  }
  return rows.leftCols(rank).transpose();
}

template <typename T>
TaskPrior<T> with_factors(TaskPrior<T> prior, const std::string& where) {
  for (Kernel<T>& kernel : prior.kernels) {
    if (kernel.has_factor()) continue;
    Vector diagonal(kernel.count());
    for (Index i = 0; i < kernel.count(); ++i) diagonal[i] = kernel.entry(i, i);
    const Matrix factor = pivoted_cholesky(
        diagonal,
        [&](Index i) -> Vector {
          return kernel.tile(0, kernel.count(), i, 1).col(0).template cast<double>();
        },
        where);
    kernel = kernel_of_factor<T>(factor.template cast<T>());
  }
  return prior;
}

template TaskPrior<float> with_factors(TaskPrior<float>, const std::string&);
template TaskPrior<double> with_factors(TaskPrior<double>, const std::string&);

}  // namespace assay
