#include "metrics/ridge_smoother.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/gram.h"
#include "linalg/resolvent.h"
#include "linalg/row_rotation.h"
#include "linalg/triangle.h"
#include "metrics/moments_of_samples.h"

namespace assay {
namespace {

// Rows rotated together by one task.
constexpr Index kRotated = 512;
// Surveys are of few rows, which are to suffice for several threads.
constexpr Index kSurveyed = 128;

template <typename Work>
void for_parts(ThreadPool& pool, std::span<const Index> chosen, Index size, const Work& work) {
  const auto count = static_cast<Index>(chosen.size());
  pool.run((count + size - 1) / size, [&](Index task) {
    const Index first = task * size;
    work(first, chosen.subspan(static_cast<std::size_t>(first),
                               static_cast<std::size_t>(std::min(size, count - first))));
  });
}

}  // namespace

template <typename T>
RidgeSmoother<T>::RidgeSmoother(const Samples& samples, const Eigen::Ref<const Block>& features)
    : samples_(samples),
      features_(features),
      n_(samples.count()),
      dual_(samples.count() <= samples.dim()),
      standard_(fit_standardizer(features)) {
  reduce(dual_ ? kernel() : gram(), dual_ ? centered_targets() : class_sums());
}

template <typename T>
RidgeSmoother<T>::RidgeSmoother(const Samples& samples, const Moments& moments)
    : samples_(samples),
      features_(nothing_),
      n_(samples.count()),
      dual_(false),
      standard_(standardizer_of(moments)) {
  reduce(gram_of(moments), standardized_class_sums(moments, standard_));
}

template <typename T>
void RidgeSmoother<T>::reduce(Matrix s, const Matrix& right_side) {
  diagonal_ = s.diagonal();
  fill_above(s, [&](Index i, Index j) { return s(i, j); });
  t_ = tridiagonalize(std::move(s), false);
  right_side_ = t_.rotate(right_side);
}

// The chosen samples as columns. `out` keeps its memory: fresh pages for each tile would cost as
// much as the work on them.
template <typename T>
void RidgeSmoother<T>::standardize(std::span<const Index> chosen, Block& out) const {
  out.resize(samples_.dim(), static_cast<Index>(chosen.size()));
  if (samples_.streamed() != nullptr) {
    samples_.copy(chosen, out.data());
    for (Index i = 0; i < out.cols(); ++i) standard_.apply_to(out.col(i).data(), out.col(i).data());
    return;
  }
  for (Index i = 0; i < out.cols(); ++i)
    standard_.apply_to(features_.col(chosen[static_cast<std::size_t>(i)]).data(),
                       out.col(i).data());
}

template <typename T>
typename RidgeSmoother<T>::Block RidgeSmoother<T>::standardized() const {
  Block out;
  standardize(every_sample(n_), out);
  return out;
}

template <typename T>
Matrix RidgeSmoother<T>::kernel() const {
  const Matrix rows = standardized().transpose().template cast<double>();
  Matrix out = Matrix::Zero(n_, n_);
  const GramUpdate<double> update{rows.data(), rows.cols(), &out};
  add_to_grams(pool(), std::span<const GramUpdate<double>>(&update, 1));
  return out;
}

template <typename T>
Matrix RidgeSmoother<T>::gram() {
  const Moments* moments = std::is_same_v<T, float> ? samples_.moments() : nullptr;
  if (moments != nullptr && moments->scale == 1.0) return gram_of(*moments);
  const Block z = standardized();
  Matrix out = Matrix::Zero(z.rows(), z.rows());
  const GramUpdate<T> update{z.data(), n_, &out};
  add_to_grams(pool(), std::span<const GramUpdate<T>>(&update, 1));
  if (std::is_same_v<T, float>) {
    rounding_ = 2.0 * 0x1.0p-24 * std::sqrt(512.0 / static_cast<double>(n_));
    // All terms positive: where float sums err most, and known without them.
    for (Index j = 0; j < out.cols(); ++j)
      out(j, j) = standard_.factor[j] > 0.0 ? static_cast<double>(n_) : 0.0;
  }
  return out;
}

template <typename T>
Matrix RidgeSmoother<T>::gram_of(const Moments& moments) {
  rounding_ = moments.product_rounding;
  Matrix out = second_moments(moments, true).gram;
  const Vector factor = standard_.factor / moments.scale;
  for (Index j = 0; j < out.cols(); ++j) out.col(j) = out.col(j).cwiseProduct(factor) * factor[j];
  return out;
}

// Z'(Y - ybar): centred features need no centred targets.
template <typename T>
Matrix RidgeSmoother<T>::class_sums() const {
  Matrix sums = Matrix::Zero(features_.rows(), samples_.classes());
  for (Index i = 0; i < n_; ++i)
    sums.col(label(i)) += features_.col(i).template cast<double>() - standard_.mean;
  return standard_.factor.asDiagonal() * sums;
}

template <typename T>
Matrix RidgeSmoother<T>::centered_targets() const {
  Matrix y(n_, samples_.classes());
  for (Index c = 0; c < y.cols(); ++c) y.col(c).setConstant(-share_of_class(c));
  for (Index i = 0; i < n_; ++i) y(i, label(i)) += 1.0;
  return y;
}

template <typename T>
double RidgeSmoother<T>::share_of_class(Index c) const {
  return static_cast<double>(samples_.counts()[static_cast<std::size_t>(c)]) /
         static_cast<double>(n_);
}

template <typename T>
Matrix RidgeSmoother<T>::solved(double penalty) const {
  const std::vector<double> shifts(static_cast<std::size_t>(right_side_.cols()), penalty);
  return resolvent_solve(t_, right_side_, shifts);
}

template <typename T>
double RidgeSmoother<T>::residual_squares(double penalty) const {
  return residual_squares_of(solved(penalty), penalty);
}

// With x = (T + l)^-1 b, primal |y|^2 - b'x - l |x|^2, dual l^2 |x|^2.
template <typename T>
double RidgeSmoother<T>::residual_squares_of(const Matrix& x, double penalty) const {
  if (dual_) return penalty * penalty * x.squaredNorm();
  double targets = 0.0;
  for (Index c = 0; c < samples_.classes(); ++c)
    targets += share_of_class(c) * (1.0 - share_of_class(c)) * static_cast<double>(n_);
  return std::max(0.0, targets - right_side_.cwiseProduct(x).sum() - penalty * x.squaredNorm());
}

// z_i or e_i.
template <typename T>
void RidgeSmoother<T>::unrotated(std::span<const Index> chosen, Block& columns) const {
  if (!dual_) {
    standardize(chosen, columns);
    return;
  }
  columns.setZero(n_, static_cast<Index>(chosen.size()));
  for (Index i = 0; i < columns.cols(); ++i) columns(chosen[static_cast<std::size_t>(i)], i) = T{1};
}

// From q (T + l)^-1 q', which is h_i on the primal side and (1 - h_i) / l on the dual.
template <typename T>
Matrix RidgeSmoother<T>::shares_of_forms(Matrix forms, std::span<const double> penalties) const {
  const double intercept = 1.0 / static_cast<double>(n_);
  for (std::size_t k = 0; k < penalties.size(); ++k) {
    auto row = forms.row(static_cast<Index>(k)).array();
    if (dual_) {
      row = penalties[k] * row - intercept;
    } else {
      row = 1.0 - intercept - row;
    }
  }
  // Rounding must not let a sample that is fitted exactly decide by its sign.
  return forms.cwiseMax(1e-12);
}

// 1 - 1/n - h_i for every sample and penalty: what divides a residual to make it that of a fit
// without the sample (ridge_loo.h; decision 0011).
template <typename T>
Matrix RidgeSmoother<T>::shares_left(std::span<const double> penalties) const {
  Matrix forms(static_cast<Index>(penalties.size()), n_);
  const RowRotation<T> rotation(t_);
  const std::vector<Index> all = every_sample(n_);
  for_parts(pool(), all, kRotated, [&](Index first, std::span<const Index> part) {
    thread_local Block columns;
    thread_local Block rows;
    unrotated(part, columns);
    rows = columns.transpose();
    rotation.apply(rows);
    forms.middleCols(first, rows.rows()) = resolvent_forms_of_rows<T>(t_, rows, penalties);
  });
  return shares_of_forms(std::move(forms), penalties);
}

// Predictions are taken in the rotated coordinates, q x with x = (T + l)^-1 b: no penalty's
// coefficients need to be turned back.
template <typename T>
typename RidgeSmoother<T>::Surveyed RidgeSmoother<T>::survey(
    std::span<const Index> chosen, std::span<const double> penalties) const {
  const auto count = static_cast<Index>(chosen.size());
  const auto kinds = static_cast<Index>(penalties.size());
  Surveyed out{Matrix(kinds, count), Matrix(kinds, count), Vector(kinds)};
  std::vector<Block> x;
  for (Index k = 0; k < kinds; ++k) {
    const double penalty = penalties[static_cast<std::size_t>(k)];
    const Matrix exact = solved(penalty);
    out.totals[k] = residual_squares_of(exact, penalty);
    x.push_back(exact.template cast<T>());
  }
  const RowRotation<T> rotation(t_);
  for_parts(pool(), chosen, kSurveyed, [&](Index first, std::span<const Index> part) {
    Block columns;
    unrotated(part, columns);
    Block rows = columns.transpose();
    rotation.apply(rows);
    out.shares.middleCols(first, rows.rows()) = resolvent_forms_of_rows<T>(t_, rows, penalties);
    for (Index k = 0; k < kinds; ++k) {
      Matrix left = product(rows, false, x[static_cast<std::size_t>(k)], false)
                        .template cast<double>();  // part x C
      if (dual_) {
        left *= penalties[static_cast<std::size_t>(k)];
      } else {
        for (Index c = 0; c < left.cols(); ++c) left.col(c).array() += share_of_class(c);
        for (Index i = 0; i < left.rows(); ++i)
          left(i, label(part[static_cast<std::size_t>(i)])) -= 1.0;
      }
      out.squares.row(k).segment(first, rows.rows()) = left.rowwise().squaredNorm();
    }
  });
  out.shares = shares_of_forms(std::move(out.shares), penalties);
  return out;
}

template <typename T>
typename RidgeSmoother<T>::Fit RidgeSmoother<T>::fit(double penalty) const {
  Fit out{penalty, t_.rotate_back(solved(penalty)), {}};
  if (!dual_) out.rough = out.coefficients.template cast<T>();
  return out;
}

// columns: of the chosen samples, standardised; not read on the dual side.
template <typename T>
Matrix RidgeSmoother<T>::residuals_of(const Fit& fit, const Block& columns,
                                      std::span<const Index> chosen) const {
  if (dual_) return fit.penalty * fit.coefficients(chosen, Eigen::all).transpose();
  Matrix out = -product(fit.rough, true, columns, false).template cast<double>();
  for (Index c = 0; c < out.rows(); ++c) out.row(c).array() -= share_of_class(c);
  for (Index i = 0; i < out.cols(); ++i) out(label(chosen[static_cast<std::size_t>(i)]), i) += 1.0;
  return out;
}

template <typename T>
Matrix RidgeSmoother<T>::residuals(const Fit& fit, std::span<const Index> chosen) const {
  thread_local Block columns;
  if (!dual_) standardize(chosen, columns);
  return residuals_of(fit, columns, chosen);
}

template <typename T>
typename RidgeSmoother<T>::Block RidgeSmoother<T>::factor(double penalty) {
  t_.reflectors.diagonal() = diagonal_.array() + penalty;
  if (!cholesky_above(t_.reflectors)) return {};
  Block out(t_.size(), t_.size());
  for_blocks_below(out.rows(), [&](Index row, Index col, Index rows, Index cols) {
    out.block(row, col, rows, cols) =
        t_.reflectors.block(col, row, cols, rows).transpose().template cast<T>();
  });
  return out;
}

// q (T + l)^-1 q' is |L^-1 z|^2 or |L^-1 e|^2 with S + l = L L'.
template <typename T>
typename RidgeSmoother<T>::Leaving RidgeSmoother<T>::leave_out(
    const Fit& fit, const Block& factor, std::span<const Index> chosen) const {
  thread_local Block columns;
  unrotated(chosen, columns);
  Leaving out{residuals_of(fit, columns, chosen), {}};
  columns = solve_lower(factor, std::move(columns));
  Matrix forms(1, columns.cols());
  for (Index i = 0; i < columns.cols(); ++i)
    forms(0, i) = columns.col(i).template cast<double>().squaredNorm();
  out.shares = shares_of_forms(std::move(forms), {&fit.penalty, 1}).row(0).transpose();
  return out;
}

template class RidgeSmoother<float>;
template class RidgeSmoother<double>;

}  // namespace assay
