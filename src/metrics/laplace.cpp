#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "linalg/cholesky.h"
#include "linalg/eigen.h"
#include "linalg/gram.h"
#include "metrics/linear.h"
#include "metrics/samples.h"

namespace assay {
namespace {

constexpr Index kLargestHessian = 512;

// log |I + H / delta| with the full Hessian H = sum_i (diag p_i - p_i p_i') x z_i z_i'.
double full_log_det(const Matrix& p, const Matrix& z, double delta) {
  const Index r = z.rows();
  const Index k = p.rows();
  Matrix h = Matrix::Identity(r * k, r * k);
  for (Index a = 0; a < k; ++a) {
    for (Index b = 0; b <= a; ++b) {
      Vector weight = -p.row(a).cwiseProduct(p.row(b));
      if (a == b) weight += p.row(a).transpose();
      h.block(a * r, b * r, r, r) +=
          product(Matrix(z * weight.asDiagonal()), false, z, true) / delta;
    }
  }
  return log_determinant(std::move(h));
}

// The Kronecker factors: second moments of the samples, diagonal here, and the mean of
// diag p - p p'.
double kronecker_log_det(const Matrix& p, const Vector& spectrum, double delta) {
  const auto n = static_cast<double>(p.cols());
  Matrix mean = -product(p, false, p, true) / n;
  mean.diagonal() += p.rowwise().mean();
  const Vector outputs = symmetric_eigen(std::move(mean)).values;
  double sum = 0.0;
  for (const double b : outputs) {
    if (b > 0.0) sum += (spectrum.array() * (b / delta)).log1p().sum();
  }
  return sum;
}

class Evidence {
 public:
  explicit Evidence(const Samples& samples) : samples_(samples) {}

  bool kronecker() const {
    return samples_.row_space().z.rows() * samples_.classes() > kLargestHessian;
  }

  // At precision delta = exp(log_delta), nats per sample.
  // `tolerance` of the fit: log |H| feels its error to first order.
  double operator()(double log_delta, double tolerance) {
    const auto n = static_cast<double>(samples_.count());
    const double delta = std::exp(log_delta);
    const RowSpace& space = samples_.row_space();
    LogisticOptions options;
    options.beta = n / delta;
    options.tolerance = tolerance;
    fit_ = samples_.logistic_problem().fit(options, fit_.weights.size() > 0 ? &fit_ : nullptr);
    const Matrix p = logistic_probabilities(samples_.pool(), fit_.weights, space.z);
    const double log_det =
        kronecker() ? kronecker_log_det(p, space.spectrum, delta) : full_log_det(p, space.z, delta);
    return -fit_.loss - fit_.penalty - 0.5 * log_det / n;
  }

  // The last fit, which the next one starts from.
  const LogisticFit& fit() const { return fit_; }
  void start_from(LogisticFit fit) { fit_ = std::move(fit); }

 private:
  const Samples& samples_;
  LogisticFit fit_;
};

// Fits only have to find the neighbourhood first, then six digits.
constexpr double kScan = 1e-7;
constexpr double kSearch = 1e-11;
constexpr double kFinal = 1e-16;
constexpr double kHopeless = 0.2;  // nats per sample below the best so far

// Log precisions to scan, from strong to weak priors. Where prior and data weigh alike in the mean
// direction is the middle; below the weakest direction's own such point a weaker prior only costs.
struct Range {
  double high = 0.0;
  double low = 0.0;
};

Range scanned_range(const Vector& spectrum, Index classes) {
  const auto k = static_cast<double>(classes);
  const double middle = std::log(spectrum.mean() / k);
  return {middle + 6.0, std::max(std::log(spectrum.tail(1)[0] / k) - 10.0, middle - 20.0)};
}

struct Point {
  double log_delta = 0.0;
  double value = 0.0;
};

// Where the parabola through three points of equal spacing is highest.
double vertex(const Point& a, const Point& b, const Point& c) {
  const double bend = a.value - 2.0 * b.value + c.value;
  return b.log_delta + 0.25 * (c.log_delta - a.log_delta) * (a.value - c.value) / bend;
}

// The highest point between `low` and `high`, by Brent's method.
double highest(Evidence& evidence, double low, double high) {
  constexpr int bits = 11;  // of log_delta: at a maximum its error counts squared
  const auto cost = [&](double log_delta) { return -evidence(log_delta, kSearch); };
  return boost::math::tools::brent_find_minima(cost, low, high, bits).first;
}

}  // namespace

// Immer et al., ICML 2021, as in linear.h: the Laplace evidence at the prior precision delta that
// maximises it.
// A coarse scan from strong to weak priors (each fit starts from the one before), then Brent's
// method about the best. Features of unlike scales give several maxima, so the scan goes on past
// one until the evidence has fallen far below it: weaker priors are also slower to fit.
Score laplace(const Samples& samples) {
  Evidence evidence(samples);
  constexpr double step = 2.0;
  const Range range = scanned_range(samples.row_space().spectrum, samples.classes());
  std::vector<Point> scan;
  std::size_t best = 0;
  LogisticFit best_fit;
  for (double here = range.high; scan.empty() || here > range.low; here -= step) {
    scan.push_back({here, evidence(here, kScan)});
    const double fallen = scan[best].value - scan.back().value;
    if (fallen > kHopeless) break;
    if (scan.size() > 1 && fallen >= 0.0) continue;
    best = scan.size() - 1;
    best_fit = evidence.fit();
  }
  evidence.start_from(std::move(best_fit));
  const double low = scan[best].log_delta - step;
  const double high = scan[best].log_delta + step;
  double at = scan[best].log_delta;
  constexpr double near = 0.4;
  bool found = false;
  if (best > 0 && best + 1 < scan.size()) {
    const double guess = vertex(scan[best + 1], scan[best], scan[best - 1]);
    at = highest(evidence, guess - near, guess + near);
    found = std::abs(at - guess) < 0.9 * near;  // not at an end of the narrow search
  }
  if (!found) at = highest(evidence, low, high);
  Score score;
  score.value = evidence(at, kFinal);
  score.details = {{"precision", std::exp(at)}};
  if (evidence.kronecker()) score.flags.emplace_back("kronecker");
  if (samples.ill_scaled(Samples::About::origin_and_constant))
    score.flags.emplace_back("ill_scaled");
  return score;
}

}  // namespace assay
