#include "metrics/nonlinear_gain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "learn/standardize.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "metrics/dealt_folds.h"

namespace assay {
namespace {

constexpr Index kKernelRows = 2048;

// Of one sample; kernels have a diagonal near 1, so that n times 1 leaves little but the mean.
constexpr std::array kKernelPenalties = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0};

// A draw that holds every class in its share: each class's samples in random order, class after
// class, and of these evenly spaced ones.
std::vector<Index> drawn_rows(const Samples& samples) {
  const std::vector<Index> order = dealing_order(samples, samples.seed());
  const Index kept = std::min(kKernelRows, samples.count());
  std::vector<Index> rows;
  for (Index k = 0; k < kept; ++k)
    rows.push_back(order[static_cast<std::size_t>(k * samples.count() / kept)]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

Matrix linear_kernel(ThreadPool& pool, const Matrix& z, double varying) {
  const Matrix rows = z.transpose();
  Matrix kernel = Matrix::Zero(rows.rows(), rows.rows());
  const GramUpdate<double> update{rows.data(), rows.cols(), &kernel};
  add_to_grams(pool, std::span(&update, 1));
  kernel.triangularView<Eigen::StrictlyUpper>() = kernel.transpose();
  return kernel / varying;
}

// From linear entries l_ij = x_i'x_j / D: |x_i - x_j|^2 / D = l_ii + l_jj - 2 l_ij.
Matrix curved_kernel(const Matrix& linear) {
  const Vector own = linear.diagonal();
  Matrix out(linear.rows(), linear.cols());
  for (Index j = 0; j < out.cols(); ++j) {
    for (Index i = 0; i < out.rows(); ++i)
      out(i, j) =
          0.5 * (linear(i, j) + std::exp(-std::max(0.0, own[i] + own[j] - 2.0 * linear(i, j))));
  }
  return out;
}

Matrix about_mean(Matrix kernel) {
  const Vector mean = kernel.colwise().mean().transpose();
  const double all = mean.mean();
  kernel.colwise() -= mean;
  kernel.rowwise() -= (mean.array() - all).matrix().transpose();
  return kernel;
}

// 1 where kernel ridge regression without the sample names its class, else 0. With H K H = U S U':
// residual without i = (y - ybar - U S / (S + l) U'(y - ybar))_i / (1 - 1/n - h_i).
std::vector<double> left_out_outcomes(Matrix kernel, const std::vector<Label>& labels,
                                      Index classes) {
  const Index n = kernel.rows();
  const SymmetricEigen eigen = symmetric_eigen(about_mean(std::move(kernel)));
  const Vector values = eigen.values.cwiseMax(0.0);
  Matrix targets = Matrix::Zero(n, classes);
  for (Index i = 0; i < n; ++i) targets(i, labels[static_cast<std::size_t>(i)]) = 1.0;
  const Matrix y = targets.rowwise() - targets.colwise().mean();
  const Matrix rotated = product(eigen.vectors, true, y, false);
  const Matrix squares = eigen.vectors.cwiseAbs2();
  double least = std::numeric_limits<double>::infinity();
  Matrix best;
  for (const double per_row : kKernelPenalties) {
    const double penalty = per_row * static_cast<double>(n);
    const Vector kept = values.array() / (values.array() + penalty);
    const Matrix fit = product(eigen.vectors, false, Matrix(kept.asDiagonal() * rotated), false);
    const Vector left =
        (1.0 - 1.0 / static_cast<double>(n) - (squares * kept).array()).cwiseMax(1e-12);
    Matrix residual = left.cwiseInverse().asDiagonal() * (y - fit);
    const double error = residual.squaredNorm();
    if (error >= least) continue;
    least = error;
    best = targets - residual;
  }
  std::vector<double> right;
  for (Index i = 0; i < n; ++i) {
    Index named = 0;
    best.row(i).maxCoeff(&named);
    right.push_back(named == labels[static_cast<std::size_t>(i)] ? 1.0 : 0.0);
  }
  return right;
}

double mean_outcome(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

// Leave-one-out in closed form, as in ridge_loo.h, for a kernel in place of its features.
Score nonlinear_gain(const Samples& samples) {
  Score score;
  const std::vector<Index> rows = drawn_rows(samples);
  Matrix z = samples.features()(Eigen::all, rows);
  std::vector<Label> labels;
  for (const Index row : rows) labels.push_back(samples.labels()[static_cast<std::size_t>(row)]);
  const Standardizer standard = fit_standardizer(z);
  standard.apply(z);
  const auto varying = static_cast<double>((standard.factor.array() > 0.0).count());
  const Matrix kernel = linear_kernel(samples.pool(), z, std::max(1.0, varying));
  const std::vector<double> curved =
      left_out_outcomes(curved_kernel(kernel), labels, samples.classes());
  const std::vector<double> linear = left_out_outcomes(kernel, labels, samples.classes());
  score.per_sample.assign(static_cast<std::size_t>(samples.count()),
                          std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < rows.size(); ++k)
    score.per_sample[static_cast<std::size_t>(rows[k])] = curved[k] - linear[k];
  double sum = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) sum += curved[k] - linear[k];
  score.value = sum / static_cast<double>(rows.size());
  score.details = {{"linear", mean_outcome(linear)},
                   {"nonlinear", mean_outcome(curved)},
                   {"rows", static_cast<double>(rows.size())}};
  if (std::ssize(rows) < samples.count()) score.flags.emplace_back("drawn");
  return score;
}

}  // namespace assay
