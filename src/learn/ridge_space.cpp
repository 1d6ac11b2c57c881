#include "learn/ridge_space.h"

#include <cmath>
#include <optional>
#include <utility>

#include "learn/row_space.h"
#include "learn/standardize.h"
#include "linalg/cholesky.h"
#include "linalg/gram.h"

namespace assay {
namespace {

// The value of the constant feature: the intercept goes all but unpenalised.
constexpr double kFree = 100.0;

}  // namespace

RidgeSpace::RidgeSpace(ThreadPool& pool, Matrix features, Matrix targets)
    : targets_(std::move(targets)) {
  fit_standardizer(features).apply(features);
  RowSpace space = row_space(pool, features, /*basis=*/false, kFree);
  z_ = std::move(space.z);
  spectrum_ = std::move(space.spectrum);
  projected_ = product(z_, false, targets_, false);
}

// (y_i - f_i) / (1 - h_i), exact for a linear smoother (ridge_space.h; Allen 1974, PRESS).
Matrix RidgeSpace::without_each(double penalty) const {
  const Vector inverse = (spectrum_.array() + penalty).inverse();
  const Matrix fitted = product(z_, true, Matrix(inverse.asDiagonal() * projected_), false);
  const Vector leverage = z_.cwiseAbs2().transpose() * inverse;
  Matrix out = targets_;
  for (Index i = 0; i < out.rows(); ++i)
    out.row(i) -= (targets_.row(i) - fitted.row(i)) / (1.0 - leverage[i]);
  return out;
}

std::vector<Matrix> RidgeSpace::without_parts(const std::vector<Index>& part_of_sample, Index parts,
                                              const std::vector<double>& penalties) const {
  std::vector<Matrix> out(penalties.size(), Matrix::Zero(targets_.rows(), targets_.cols()));
  for (Index part = 0; part < parts; ++part) {
    std::vector<Index> rows;
    for (std::size_t i = 0; i < part_of_sample.size(); ++i)
      if (part_of_sample[i] == part) rows.push_back(static_cast<Index>(i));
    const Matrix own = z_(Eigen::all, rows);
    const Matrix rest = projected_ - product(own, false, targets_(rows, Eigen::all), false);
    Matrix gram = -product(own, false, own, true);
    gram.diagonal() += spectrum_;
    for (std::size_t k = 0; k < penalties.size(); ++k) {
      Matrix shifted = gram;
      shifted.diagonal().array() += penalties[k];
      // A penalty too small for double leaves nothing to tell by: the prediction stays zero.
      const std::optional<Matrix> factor = cholesky(std::move(shifted));
      if (!factor) continue;
      const Matrix weights = solve_lower_transposed(*factor, solve_lower(*factor, rest));
      out[k](rows, Eigen::all) = product(own, true, weights, false);
    }
  }
  return out;
}

double RidgeSpace::directions(double penalty) const {
  // About the mean, as for HeldOutProbes.
  const Vector squares = (z_.colwise() - z_.rowwise().mean()).rowwise().squaredNorm();
  const Vector shares = squares.array() / (squares.array() + penalty);
  const double fourths = shares.array().pow(4).sum();
  return fourths > 0.0 ? std::pow(shares.squaredNorm(), 2) / fourths : 1.0;
}

}  // namespace assay
