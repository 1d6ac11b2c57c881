#include "metrics/cka.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

// Y'Y about the means, of one-hot columns: diag(n_c) - n_c n_d / n.
struct LabelKernel {
  double trace = 0.0;
  double norm = 0.0;  // Frobenius
};

LabelKernel label_kernel(const Vector& counts, double n) {
  const double squares = counts.squaredNorm();
  const double cubes = counts.array().cube().sum();
  const double square = squares - 2.0 * cubes / n + squares * squares / (n * n);
  return {n - squares / n, std::sqrt(std::max(square, 0.0))};
}

// |F'Y|_F^2 / unit^2 about the means. With F F' = Q T Q' on the side of the samples it is the sum
// of b'T b over b = Q'(1_c - n_c / n 1); the columns of Q'Y sum to Q'1, as every sample has a
// class.
double cross_square(const Problem& problem) {
  const Reduced& reduced = problem.reduced();
  if (!reduced.dual) return reduced.centered_cross.sum();
  const Vector ones = reduced.projected.rowwise().sum();
  const auto n = static_cast<double>(problem.count());
  const Vector& diagonal = reduced.tridiagonal.diagonal;
  const Vector& beside = reduced.tridiagonal.off_diagonal;
  double sum = 0.0;
  for (Index c = 0; c < reduced.projected.cols(); ++c) {
    const Vector b = reduced.projected.col(c) - problem.target_sums()[c] / n * ones;
    sum += b.cwiseAbs2().dot(diagonal) +
           2.0 * b.head(beside.size()).cwiseProduct(b.tail(beside.size())).dot(beside);
  }
  return std::max(sum, 0.0);
}

}  // namespace

// Kernel-target alignment (Cristianini et al., NIPS 2001), centred (Cortes et al., JMLR 2012); the
// mean over permutations of the labels is tr(F'F) tr(Y'Y) / (n - 1) over the same norms.
Score cka(const Problem& problem) {
  Score score;
  const Reduced& reduced = problem.reduced();
  const auto n = static_cast<double>(problem.count());
  const LabelKernel labels = label_kernel(problem.target_sums(), n);
  const double features = std::sqrt(reduced.centered_square);
  const double norms = features * labels.norm;
  double chance = 0.0;
  if (norms > 0.0) {
    score.value = std::min(1.0, cross_square(problem) / norms);
    chance =
        std::min(1.0, reduced.centered_trace * labels.trace / (std::max(n - 1.0, 1.0) * norms));
    // Entries of F'F that are off by noise_i noise_j move its norm by no more than the largest.
    if (reduced.noise.size() > 0)
      score.error = score.value * std::pow(reduced.noise.maxCoeff(), 2) / features;
  }
  score.details = {{"chance", chance}};
  if (reduced.ill_scaled) score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
