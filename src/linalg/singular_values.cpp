#include "linalg/singular_values.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "linalg/lapack.h"

namespace assay {

// LAPACK dgesdd without vectors: bidiagonal form, then dqds.
Vector singular_values(Matrix matrix) {
  const int rows = static_cast<int>(matrix.rows());
  const int cols = static_cast<int>(matrix.cols());
  Vector out(std::min(rows, cols));
  if (out.size() == 0) return out;
  std::vector<int> integers(8 * static_cast<std::size_t>(out.size()));
  const int one = 1;
  const int query = -1;
  int info = 0;
  double best = 0.0;
  dgesdd_("N", &rows, &cols, matrix.data(), &rows, out.data(), nullptr, &one, nullptr, &one, &best,
          &query, integers.data(), &info);
  std::vector<double> work(static_cast<std::size_t>(best));
  const int size = static_cast<int>(work.size());
  dgesdd_("N", &rows, &cols, matrix.data(), &rows, out.data(), nullptr, &one, nullptr, &one,
          work.data(), &size, integers.data(), &info);
  assert(info == 0);
  return out;
}

double nuclear_norm(Matrix matrix) { return singular_values(std::move(matrix)).sum(); }

}  // namespace assay
