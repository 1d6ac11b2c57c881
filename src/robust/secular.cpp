#include "robust/secular.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace assay {
namespace {

// log(|z| / |mu|) at tau = exp(x), and its derivative in x.
struct LogNorm {
  double value = 0.0;
  double slope = 0.0;
};

LogNorm log_norm(const Vector& share, const Vector& lambda, double x) {
  const double tau = std::exp(x);
  double squares = 0.0;
  double weighted = 0.0;
  for (Index i = 0; i < share.size(); ++i) {
    const double kept = tau / (tau + lambda[i]);
    const double square = share[i] * kept * kept;
    squares += square;
    weighted += square * (1.0 - kept);
  }
  return {0.5 * std::log(squares), weighted / squares};
}

}  // namespace

// The secular equation |z(tau)| = ratio |mu| of a trust-region problem (More and Sorensen, SIAM J.
// Sci. Stat. Comput. 1983), solved in log tau.
double secular_root(const Vector& mu, const Vector& lambda, double ratio) {
  assert(ratio > 0.0 && ratio < 1.0 && mu.size() == lambda.size());
  // Relative to the largest entries, so that no square leaves the range of double.
  const double unit = lambda.maxCoeff();
  const Vector scaled = lambda / unit;
  Vector share = (mu / mu.cwiseAbs().maxCoeff()).cwiseAbs2();
  share /= share.sum();
  const double odds = std::log(ratio / (1.0 - ratio));
  const double target = std::log(ratio);
  double low = odds + std::log(scaled.minCoeff());
  double high = odds;
  double x = 0.5 * (low + high);
  constexpr int enough = 200;
  constexpr double digit = std::numeric_limits<double>::epsilon();
  for (int step = 0; step < enough; ++step) {
    const LogNorm now = log_norm(share, scaled, x);
    const double error = now.value - target;
    (error > 0.0 ? high : low) = x;
    if (std::abs(error) <= digit || high - low <= digit * std::abs(x)) break;
    const double newton = x - error / now.slope;
    const bool inside = newton > low && newton < high;
    if (inside && newton == x) break;
    x = inside ? newton : 0.5 * (low + high);
  }
  return unit * std::exp(x);
}

}  // namespace assay
