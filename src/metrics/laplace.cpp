#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "assay/linalg/cholesky.h"
#include "assay/linalg/eigen.h"
#include "assay/linalg/gram.h"
#include "assay/metrics/linear.h"

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
  double operator()(double log_delta) {
    const auto n = static_cast<double>(samples_.count());
    const double delta = std::exp(log_delta);
    const RowSpace& space = samples_.row_space();
    LogisticOptions options;
    options.beta = n / delta;
    options.tolerance = 1e-8;  // log |H| feels an error to first order
    fit_ = fit_logistic(samples_.pool(), space, samples_.labels(), samples_.classes(), options,
                        fitted_ ? &fit_ : nullptr);
    fitted_ = true;
    const Matrix p = logistic_probabilities(samples_.pool(), fit_.weights, space.z);
    const double log_det =
        kronecker() ? kronecker_log_det(p, space.spectrum, delta) : full_log_det(p, space.z, delta);
    return -fit_.loss - fit_.penalty - 0.5 * log_det / n;
  }

 private:
  const Samples& samples_;
  LogisticFit fit_;
  bool fitted_ = false;
};

}  // namespace

// A coarse scan from strong to weak priors (each fit starts from the one before), then Brent's
// method about the best.
Score laplace(const Samples& samples) {
  Evidence evidence(samples);
  const RowSpace& space = samples.row_space();
  // Where the prior and one direction's data weigh alike, for the mean direction.
  const double middle = std::log(space.spectrum.mean() / static_cast<double>(samples.classes()));
  constexpr double step = 2.0;
  double best = middle + 3.0 * step;
  double value = evidence(best);
  for (int k = 2; k >= -6; --k) {
    const double here = evidence(middle + k * step);
    if (here <= value) break;  // one maximum: past it the prior only gets weaker
    value = here;
    best = middle + k * step;
  }
  const auto [at, least] = boost::math::tools::brent_find_minima(
      [&](double log_delta) { return -evidence(log_delta); }, best - step, best + step, 14);
  Score score;
  score.value = std::max(value, -least);
  score.details = {{"precision", std::exp(-least >= value ? at : best)}};
  if (evidence.kronecker()) score.flags.emplace_back("kronecker");
  return score;
}

}  // namespace assay
