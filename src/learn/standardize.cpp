#include "assay/learn/standardize.h"

#include <cmath>

namespace assay {
namespace {

// Two passes: the variance is summed about the mean, not as a difference of large numbers.
template <typename Samples>
Standardizer fit(const Samples& samples) {
  const auto n = static_cast<double>(samples.cols());
  Standardizer out{Vector::Zero(samples.rows()), Vector::Zero(samples.rows())};
  for (Index i = 0; i < samples.cols(); ++i) out.mean += samples.col(i).template cast<double>();
  out.mean /= n;
  Vector square = Vector::Zero(samples.rows());
  for (Index i = 0; i < samples.cols(); ++i)
    square += (samples.col(i).template cast<double>() - out.mean).cwiseAbs2();
  for (Index j = 0; j < samples.rows(); ++j) {
    const double deviation = std::sqrt(square[j] / n);
    // Rounding of a constant is not variation.
    if (deviation > 1e-13 * std::abs(out.mean[j]) && deviation > 0.0)
      out.factor[j] = 1.0 / deviation;
  }
  return out;
}

}  // namespace

Standardizer fit_standardizer(const Eigen::Ref<const Matrix>& samples) { return fit(samples); }
Standardizer fit_standardizer(const Eigen::Ref<const Eigen::MatrixXf>& samples) {
  return fit(samples);
}

void Standardizer::apply(Matrix& samples) const {
  for (Index i = 0; i < samples.cols(); ++i)
    samples.col(i) = (samples.col(i) - mean).cwiseProduct(factor);
}

}  // namespace assay
