#include "metrics/held_out.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

// The sum over samples of log softmax(b d)_own, d being the scores less that of the own class, with
// its first two derivatives in b.
struct Likelihood {
  double sum = 0.0;
  double slope = 0.0;
  double bend = 0.0;  // never above 0
};

double log_share(const Eigen::Ref<const Vector>& ahead, double b, Likelihood* total) {
  const double most = std::max(0.0, b * ahead.maxCoeff());
  double mass = 0.0;
  double first = 0.0;
  double second = 0.0;
  for (Index c = 0; c < ahead.size(); ++c) {
    const double weight = std::exp(b * ahead[c] - most);
    if (weight == 0.0) continue;  // also of a score of -infinity
    mass += weight;
    first += weight * ahead[c];
    second += weight * ahead[c] * ahead[c];
  }
  const double value = -most - std::log(mass);
  if (total != nullptr) {
    const double mean = first / mass;
    total->sum += value;
    total->slope -= mean;
    total->bend -= std::max(0.0, second / mass - mean * mean);
  }
  return value;
}

Likelihood likelihood_at(const Matrix& ahead, double b) {
  Likelihood total;
  for (Index i = 0; i < ahead.cols(); ++i) log_share(ahead.col(i), b, &total);
  return total;
}

// Where the slope, which falls, is zero: Newton's steps, kept inside a bracket. Scores are in units
// of their largest lead or lag, so that b counts in e-folds of it.
double best_temperature(const Matrix& ahead) {
  constexpr double largest = 1e6;
  constexpr double exact = 1e-12;
  if (likelihood_at(ahead, 0.0).slope <= 0.0) return 0.0;
  if (likelihood_at(ahead, largest).slope >= 0.0) return largest;
  double low = 0.0;
  double high = largest;
  double b = 1.0;
  for (int step = 0; step < 200 && high - low > exact * high; ++step) {
    const Likelihood here = likelihood_at(ahead, b);
    (here.slope > 0.0 ? low : high) = b;
    const double newton = here.bend < 0.0 ? b - here.slope / here.bend : high;
    const bool inside = newton > low && newton < high;
    if (inside && std::abs(newton - b) <= exact * b) return newton;
    b = inside ? newton : low > 0.0 ? std::sqrt(low * high) : 1e-3 * high;
  }
  return b;
}

}  // namespace

std::vector<double> softmax_log_likelihood(const Matrix& scores, const std::vector<Label>& labels) {
  std::vector<Index> known;
  for (Index i = 0; i < scores.cols(); ++i)
    if (std::isfinite(scores(labels[static_cast<std::size_t>(i)], i))) known.push_back(i);
  std::vector<double> out(labels.size(), std::numeric_limits<double>::quiet_NaN());
  if (known.empty()) return out;
  Matrix ahead = scores(Eigen::all, known);
  for (Index k = 0; k < ahead.cols(); ++k) {
    const Label own = labels[static_cast<std::size_t>(known[static_cast<std::size_t>(k)])];
    ahead.col(k).array() -= scores(own, known[static_cast<std::size_t>(k)]);
  }
  const double unit =
      ahead.unaryExpr([](double x) { return std::isfinite(x) ? std::abs(x) : 0.0; }).maxCoeff();
  if (unit > 0.0) ahead /= unit;
  const double b = best_temperature(ahead);
  for (Index k = 0; k < ahead.cols(); ++k) {
    out[static_cast<std::size_t>(known[static_cast<std::size_t>(k)])] =
        log_share(ahead.col(k), b, nullptr);
  }
  return out;
}

}  // namespace assay
