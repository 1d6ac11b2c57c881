#include "learn/ridge_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/split.h"
#include "learn/ridge_space.h"
#include "learn/row_space.h"
#include "learn/standardize.h"

namespace assay {
namespace {

constexpr double kTuningShare = 0.2;

// Predictions under each penalty per row. Features are centred, so that the intercept is the mean
// and the space's own constant stays out of it; in the coordinates of the space Z Z' is diagonal.
std::vector<Matrix> predictions(ThreadPool& pool, Matrix train, const Matrix& values, Matrix test,
                                std::span<const double> penalties) {
  const Standardizer standard = fit_standardizer(train);
  standard.apply(train);
  standard.apply(test);
  const RowSpace space = row_space(pool, train, true, 0.0);
  const Matrix z = space.map(test);  // r x m
  const Eigen::RowVectorXd mean = values.colwise().mean();
  const Matrix projected = space.z * (values.rowwise() - mean);  // r x C
  std::vector<Matrix> out;
  for (const double per_row : penalties) {
    const double penalty = per_row * static_cast<double>(values.rows());
    const Vector factor = (space.spectrum.array() + penalty).inverse();
    out.emplace_back((z.transpose() * (factor.asDiagonal() * projected)).rowwise() + mean);
  }
  return out;
}

// Sum over columns of the squared error in units of the column's variance.
double relative_error(const Matrix& values, const Matrix& predicted, const Vector& variance) {
  double sum = 0.0;
  for (Index c = 0; c < values.cols(); ++c) {
    if (variance[c] > 0.0) sum += (values.col(c) - predicted.col(c)).squaredNorm() / variance[c];
  }
  return sum;
}

}  // namespace

Matrix ridge_probe(ThreadPool& pool, const Matrix& train, const Matrix& values, const Matrix& test,
                   std::uint64_t seed) {
  const std::vector<Label> alike(static_cast<std::size_t>(values.rows()), 0);
  const Split split = stratified_split(alike, kTuningShare, seed);
  double chosen = 1.0;
  if (!split.train.empty() && !split.held_out.empty()) {
    const Vector variance =
        (values.rowwise() - values.colwise().mean()).colwise().squaredNorm().transpose();
    const Matrix kept_out = values(split.held_out, Eigen::all);
    const std::vector<Matrix> tried =
        predictions(pool, train(Eigen::all, split.train), values(split.train, Eigen::all),
                    train(Eigen::all, split.held_out), kRidgePerRow);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < tried.size(); ++k) {
      const double error = relative_error(kept_out, tried[k], variance);
      if (error < least) {
        least = error;
        chosen = kRidgePerRow[k];
      }
    }
  }
  return predictions(pool, train, values, test, {&chosen, 1}).front();
}

}  // namespace assay
