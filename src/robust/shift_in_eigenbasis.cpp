#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "robust/nearest_shift.h"

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

}  // namespace

// Appendix C of SynBench: coordinates part, so the infinity-ball clips mu~ and the 1-ball
// soft-thresholds it.
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

}  // namespace assay
