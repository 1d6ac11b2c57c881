#include "linalg/eigen.h"

#include <cassert>
#include <utility>
#include <vector>

#include "linalg/lapack.h"

namespace assay {

// LAPACK dsyevd: divide and conquer (Cuppen 1981).
SymmetricEigen symmetric_eigen(Matrix lower) {
  assert(lower.rows() == lower.cols());
  const int p = static_cast<int>(lower.rows());
  SymmetricEigen out{Vector(p), std::move(lower)};
  if (p == 0) return out;
  int info = 0;
  const int query = -1;
  double best = 0.0;
  int best_integers = 0;
  dsyevd_("V", "L", &p, out.vectors.data(), &p, out.values.data(), &best, &query, &best_integers,
          &query, &info);
  std::vector<double> work(static_cast<std::size_t>(best));
  std::vector<int> integers(static_cast<std::size_t>(best_integers));
  const int size = static_cast<int>(work.size());
  dsyevd_("V", "L", &p, out.vectors.data(), &p, out.values.data(), work.data(), &size,
          integers.data(), &best_integers, &info);
  assert(info == 0);
  return out;
}

}  // namespace assay
