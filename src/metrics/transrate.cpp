#include "assay/metrics/transrate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/linalg/cholesky.h"
#include "assay/linalg/gram.h"
#include "assay/linalg/tridiagonal.h"

namespace assay {
namespace {

constexpr double kDistortion = 1e-4;

// log det(I + S) by the eigenvalues of S, those that are only rounding left out.
double log_det_of_large(Matrix lower, Index largest_side) {
  const Vector s = tridiagonalize(std::move(lower)).eigenvalues;
  const double cut =
      s.tail(1)[0] * static_cast<double>(largest_side) * std::numeric_limits<double>::epsilon();
  double sum = 0.0;
  for (const double value : s) {
    if (value > cut) sum += std::log1p(value);
  }
  return sum;
}

// 1/2 log det(I + X'X / (n eps)) for samples in the columns of x.
double coding_rate(ThreadPool& pool, const Matrix& x) {
  const bool dual = x.cols() < x.rows();
  const Matrix transposed = dual ? Matrix(x.transpose()) : Matrix();
  const Index p = dual ? x.cols() : x.rows();
  Matrix gram = Matrix::Zero(p, p);
  const GramUpdate<double> update{dual ? transposed.data() : x.data(), dual ? x.rows() : x.cols(),
                                  &gram};
  add_to_grams(pool, std::span<const GramUpdate<double>>(&update, 1));
  gram *= 1.0 / (kDistortion * static_cast<double>(x.cols()));
  // Large features round off more than the identity adds: a factor would not exist, or be wrong.
  if (gram.trace() * std::numeric_limits<double>::epsilon() > 1e-6)
    return 0.5 * log_det_of_large(std::move(gram), std::max(x.rows(), x.cols()));
  gram.diagonal().array() += 1.0;
  return 0.5 * log_determinant(std::move(gram));
}

}  // namespace

Score transrate(const Samples& samples) {
  Matrix centered = samples.features();
  centered.colwise() -= Vector(centered.rowwise().mean());
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(samples.classes()));
  for (Index i = 0; i < samples.count(); ++i)
    rows[static_cast<std::size_t>(samples.labels()[static_cast<std::size_t>(i)])].push_back(i);
  std::vector<double> within(rows.size());
  samples.pool().run(samples.classes(), [&](Index c) {
    const std::vector<Index>& own = rows[static_cast<std::size_t>(c)];
    within[static_cast<std::size_t>(c)] =
        coding_rate(samples.pool(), Matrix(centered(Eigen::all, own))) *
        static_cast<double>(own.size()) / static_cast<double>(samples.count());
  });
  Score score;
  score.value = coding_rate(samples.pool(), centered);
  for (const double rate : within) score.value -= rate;
  return score;
}

}  // namespace assay
