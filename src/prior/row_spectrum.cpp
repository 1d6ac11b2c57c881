#include "prior/row_spectrum.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "data/check_finite.h"
#include "linalg/gram.h"
#include "linalg/tridiagonal.h"
#include "prior/kernel_vectors.h"

namespace assay {
namespace {

void add_samples(ThreadPool& pool, const Matrix& samples, Matrix& gram) {
  const GramUpdate<double> update{samples.data(), samples.cols(), &gram};
  add_to_grams(pool, std::span(&update, 1));
}

// X'X, lower triangle, of rows minus the first one where they are to be centred: that keeps a large
// common mean from swallowing the digits of what differs.
Matrix gram_of_columns(ThreadPool& pool, const RowSource& rows, bool center) {
  constexpr Index together = 1024;
  const Index dim = rows.cols();
  Matrix gram = Matrix::Zero(dim, dim);
  Vector sum = Vector::Zero(dim);
  Vector origin = Vector::Zero(dim);
  for (Index first = 0; first < rows.rows(); first += together) {
    const Index count = std::min(together, rows.rows() - first);
    std::vector<Index> part(static_cast<std::size_t>(count));
    std::iota(part.begin(), part.end(), first);
    Matrix x(dim, count);
    rows.read(part, x.data());
    for (Index i = 0; i < count; ++i) {
      const double magnitude = checked_magnitude(rows, first + i, x.col(i).data());
      if (magnitude > kLargestValue) refuse_magnitude(rows, first + i, magnitude);
    }
    if (center && first == 0) origin = x.col(0);
    x.colwise() -= origin;
    sum += x.rowwise().sum();
    add_samples(pool, x, gram);
    rows.release(first, first + count);
  }
  if (center) gram -= sum * sum.transpose() / static_cast<double>(rows.rows());
  return gram;
}

Matrix gram_of_rows(ThreadPool& pool, const RowSource& rows, bool center) {
  const Matrix x = read_vectors<double>(pool, rows, false, center).transpose();
  Matrix gram = Matrix::Zero(x.rows(), x.rows());
  add_samples(pool, x, gram);
  return gram;
}

}  // namespace

Vector row_spectrum(ThreadPool& pool, const RowSource& rows, bool center) {
  Matrix gram = rows.rows() > rows.cols() ? gram_of_columns(pool, rows, center)
                                          : gram_of_rows(pool, rows, center);
  const Vector values = tridiagonalize(std::move(gram)).eigenvalues;
  return values.reverse().cwiseMax(0.0);
}

}  // namespace assay
