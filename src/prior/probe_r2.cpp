#include "prior/probe_r2.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/gram.h"
#include "prior/regression_errors.h"

namespace assay {
namespace {

// Multiples of the mean eigenvalue that `loo` tries.
constexpr double kPenaltyMultiples[] = {1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0};

// sum_i [(H - M) K (H - M)]_ii / (1 - 1/n - M_ii)^2. With u_i = (S + l)^-1 z_i the row i of M is
// u_i'Z, so the diagonal is [HKH]_ii - 2 u_i'(Z H K H)_i + u_i'(Z H K H Z')u_i. One entry per i.
Vector squared_errors(ThreadPool& pool, const PrincipalAxes& axes, const PriorImage& prior,
                      const Matrix& squares, double penalty) {
  const LeaveOneOut held(axes, penalty);
  Vector errors(axes.z.cols());
  pool.run(regression_blocks(axes.z.cols()), [&](Index block) {
    const auto [first, count] = regression_block(block, axes.z.cols());
    const Matrix u = held.weights().asDiagonal() * axes.z.middleCols(first, count);
    const Matrix explained = product(squares, false, u, false);
    for (Index k = 0; k < count; ++k) {
      const Index i = first + k;
      const double error = prior.variance[i] - 2.0 * u.col(k).dot(prior.applied.col(i)) +
                           u.col(k).dot(explained.col(k));
      errors[i] = std::max(error, 0.0) / held.kept_square(axes.z.col(i));
    }
  });
  return errors;
}

// Z H K H Z', by rows.
Matrix squares_of(ThreadPool& pool, const PrincipalAxes& axes, const PriorImage& prior) {
  constexpr Index stretch = 64;
  const Index r = axes.z.rows();
  Matrix out(r, r);
  pool.run((r + stretch - 1) / stretch, [&](Index task) {
    const Index first = task * stretch;
    const Index rows = std::min(stretch, r - first);
    out.middleRows(first, rows) =
        product(prior.applied.middleRows(first, rows), false, axes.z, true);
  });
  return out;
}

}  // namespace

ProbeR2 probe_r2(ThreadPool& pool, const PrincipalAxes& axes, const PriorImage& prior,
                 const RidgePenalty& penalty) {
  const auto n = static_cast<double>(axes.z.cols());
  const double total = n / (n - 1.0) * (n / (n - 1.0)) * prior.variance.sum();
  const Matrix squares = squares_of(pool, axes, prior);
  const auto share = [&](double l) {
    return 1.0 - squared_errors(pool, axes, prior, squares, l).sum() / total;
  };
  ProbeR2 out;
  out.penalty = penalty.known(axes.mean_eigenvalue());
  if (!(total > 0.0)) {
    out.clipped = true;
    return out;
  }
  if (penalty.rule == RidgePenalty::Rule::loo) {
    out.value = -std::numeric_limits<double>::infinity();
    for (const double multiple : kPenaltyMultiples) {
      const double l = multiple * axes.mean_eigenvalue();
      const double value = share(l);
      if (value > out.value) {
        out.value = value;
        out.penalty = l;
      }
    }
  } else {
    out.value = share(out.penalty);
  }
  out.clipped = out.value < 0.0;
  out.value = std::max(out.value, 0.0);
  return out;
}

Vector probe_r2_contributions(ThreadPool& pool, const PrincipalAxes& axes, const PriorImage& prior,
                              double penalty) {
  const auto n = static_cast<double>(axes.z.cols());
  const Vector variances = n / (n - 1.0) * (n / (n - 1.0)) * prior.variance;
  const double total = variances.sum();
  if (!(total > 0.0)) return Vector::Zero(axes.z.cols());
  const Vector errors = squared_errors(pool, axes, prior, squares_of(pool, axes, prior), penalty);
  return (variances * (errors.sum() / total) - errors) / total;
}

}  // namespace assay
