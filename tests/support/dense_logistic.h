#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "assay/types.h"

namespace assay::test {

// The objective of learn/logistic.h the slow way: dense Newton steps on all (D + 1) K weights of
// the features and a constant, halved until the objective falls, to a gradient below 1e-13.
struct DenseLogistic {
  Matrix x;              // n x (D + 1), a last column of ones
  Matrix theta;          // (D + 1) x K
  Matrix probabilities;  // n x K
  double loss = 0.0;     // mean negative log-likelihood
  double penalty = 0.0;  // |theta|^2 / (2 beta)
  Matrix gradient;       // (D + 1) x K

  double value() const { return loss + penalty; }

  // sum_i (diag p_i - p_i p_i') x x_i x_i': of the sum of the losses, without the penalty.
  Matrix hessian() const {
    const Index p = x.cols();
    const Index k = theta.cols();
    Matrix out(p * k, p * k);
    for (Index a = 0; a < k; ++a) {
      for (Index b = 0; b < k; ++b) {
        Vector weight = -probabilities.col(a).cwiseProduct(probabilities.col(b));
        if (a == b) weight += probabilities.col(a);
        out.block(a * p, b * p, p, p) = x.transpose() * weight.asDiagonal() * x;
      }
    }
    return out;
  }

  void evaluate(const std::vector<Label>& labels, double beta) {
    const auto n = static_cast<double>(x.rows());
    probabilities = x * theta;
    loss = 0.0;
    Matrix error(x.rows(), theta.cols());
    for (Index i = 0; i < x.rows(); ++i) {
      auto row = probabilities.row(i);
      const Label own = labels[static_cast<std::size_t>(i)];
      const double largest = row.maxCoeff();
      const double log_sum = largest + std::log((row.array() - largest).exp().sum());
      loss += (log_sum - row[own]) / n;
      row = (row.array() - log_sum).exp();
      error.row(i) = row;
      error(i, own) -= 1.0;
    }
    penalty = theta.squaredNorm() / (2.0 * beta);
    gradient = x.transpose() * error / n + theta / beta;
  }
};

// features: n x D.
inline DenseLogistic dense_logistic(const Matrix& features, const std::vector<Label>& labels,
                                    Index classes, double beta) {
  DenseLogistic now;
  now.x = Matrix::Ones(features.rows(), features.cols() + 1);
  now.x.leftCols(features.cols()) = features;
  now.theta = Matrix::Zero(now.x.cols(), classes);
  now.evaluate(labels, beta);
  const double scale = now.gradient.norm();
  for (int step = 0; step < 200 && now.gradient.norm() > 1e-13 * scale; ++step) {
    Matrix h = now.hessian() / static_cast<double>(features.rows());
    h.diagonal().array() += 1.0 / beta;
    const Vector direction = -h.ldlt().solve(now.gradient.reshaped());
    DenseLogistic best = now;
    for (double length = 1.0; length > 1e-6; length *= 0.5) {
      best.theta = now.theta + length * direction.reshaped(now.theta.rows(), classes);
      best.evaluate(labels, beta);
      if (best.value() <= now.value() + 1e-15) break;
    }
    if (best.gradient.norm() >= now.gradient.norm() && best.value() >= now.value()) break;
    now = best;
  }
  return now;
}

}  // namespace assay::test
