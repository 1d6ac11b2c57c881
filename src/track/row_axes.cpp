#include "track/row_axes.h"

#include <limits>
#include <span>
#include <utility>

#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "prior/kernel_vectors.h"

namespace assay {

RowAxes row_axes(ThreadPool& pool, const RowSource& rows, bool center) {
  const Matrix x = read_vectors<double>(pool, rows, false, center);  // D x n
  const bool by_rows = x.cols() <= x.rows();
  const Matrix turned = by_rows ? Matrix(x.transpose()) : Matrix();
  const Matrix& summed = by_rows ? turned : x;
  Matrix gram = Matrix::Zero(summed.rows(), summed.rows());
  const GramUpdate<double> update{summed.data(), summed.cols(), &gram};
  add_to_grams(pool, std::span(&update, 1));
  const SymmetricEigen eigen = symmetric_eigen(std::move(gram));
  RowAxes out;
  out.spectrum = eigen.values.reverse().cwiseMax(0.0);
  const Index side = out.spectrum.size();
  const double cut =
      out.spectrum[0] * static_cast<double>(side) * std::numeric_limits<double>::epsilon();
  Index rank = 0;
  while (rank < side && out.spectrum[rank] > cut) ++rank;
  const Matrix vectors = eigen.vectors.rightCols(rank).rowwise().reverse();
  out.squares = by_rows
                    ? Matrix(out.spectrum.head(rank).asDiagonal() * vectors.transpose().cwiseAbs2())
                    : product(vectors, true, x, false).cwiseAbs2();
  return out;
}

}  // namespace assay
