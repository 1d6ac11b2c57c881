#include "ball.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace assay {
namespace {

// nu >= 0 with sum_i max(0, size_i - nu lambda_i) = radius < sum_i size_i. That sum falls with nu
// and is linear between the values size_i / lambda_i at which a term ends.
double soft_threshold(const Vector& size, const Vector& lambda, double radius) {
  std::vector<Index> order(static_cast<std::size_t>(size.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto end_of = [&](Index i) { return size[i] / lambda[i]; };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return end_of(a) > end_of(b); });
  double sizes = 0.0;
  double lambdas = 0.0;
  double nu = 0.0;
  for (const Index i : order) {
    sizes += size[i];
    lambdas += lambda[i];
    const double now = (sizes - radius) / lambdas;
    if (now >= end_of(i)) break;  // term i has ended before the sum comes down to the radius
    nu = now;
  }
  return nu;
}

void project(Vector& point, double radius, Norm norm) {
  if (norm == Norm::infinity) {
    point = point.cwiseMax(-radius).cwiseMin(radius);
    return;
  }
  if (point.lpNorm<1>() <= radius) return;
  const Vector size = point.cwiseAbs();
  const double nu = soft_threshold(size, Vector::Ones(size.size()), radius);
  for (double& value : point) value = std::copysign(std::max(0.0, std::abs(value) - nu), value);
}

}  // namespace

NearestShift nearest_in_eigenbasis(const Vector& mu, const Vector& lambda, double radius,
                                   Norm norm) {
  const Vector size = mu.cwiseAbs();
  NearestShift out{Vector(mu.size()), Vector(mu.size()), true};
  const double nu = norm == Norm::one ? soft_threshold(size, lambda, radius) : 0.0;
  for (Index i = 0; i < mu.size(); ++i) {
    const double left = norm == Norm::one ? std::min(size[i], nu * lambda[i])  // mu - z
                                          : std::max(0.0, size[i] - radius);
    out.shift[i] = std::copysign(size[i] - left, mu[i]);
    out.weights[i] = std::copysign(left / lambda[i], mu[i]);
  }
  return out;
}

// Alternating directions on: min |mu~ - F'z|^2 in the metric Lambda^-1, z = y, y in the ball. The
// step in z is diagonal in the eigenbasis, the step in y a projection. At the end the multiplier
// rho u of z = y is F w itself, which spares a division by small variances.
NearestShift nearest_in_original(const GaussianPair& pair, double radius, Norm norm) {
  constexpr int most_steps = 20000;
  constexpr double tolerance = 1e-13;
  constexpr double relaxation = 1.6;
  const Vector& lambda = pair.variances;
  const double rho = 1.0 / std::sqrt(lambda[0] * lambda[lambda.size() - 1]);
  const Vector gain = (1.0 + rho * lambda.array()).inverse();
  Vector y = pair.basis * pair.half_gap;
  project(y, radius, norm);
  Vector u = Vector::Zero(y.size());
  bool converged = false;
  for (int step = 0; step < most_steps && !converged; ++step) {
    const Vector from = y - u;
    Vector inner = pair.half_gap - pair.basis.transpose() * from;
    inner.array() *= gain.array();
    const Vector z = from + pair.basis * inner;
    const Vector relaxed = relaxation * z + (1.0 - relaxation) * y;
    Vector next = relaxed + u;
    project(next, radius, norm);
    u += relaxed - next;
    converged =
        (z - next).norm() <= tolerance * next.norm() && (next - y).norm() <= tolerance * u.norm();
    y = std::move(next);
  }
  NearestShift out;
  out.weights = rho * (pair.basis.transpose() * u);
  out.shift = pair.half_gap - lambda.cwiseProduct(out.weights);
  out.converged = converged;
  return out;
}

}  // namespace assay
