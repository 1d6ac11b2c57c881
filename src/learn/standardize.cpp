#include "learn/standardize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dispatch.h"

namespace assay {
namespace {

template <typename T>
void add_sample(const T* sample, Index dim, double* sum) {
  for (Index j = 0; j < dim; ++j) sum[j] += static_cast<double>(sample[j]);
}

template <typename T>
void add_square(const T* sample, const double* mean, Index dim, double* square) {
  for (Index j = 0; j < dim; ++j) {
    const double distance = static_cast<double>(sample[j]) - mean[j];
    square[j] += distance * distance;
  }
}

template <typename T>
void scale_sample(const T* sample, const double* mean, const double* factor, Index dim, T* out) {
  for (Index j = 0; j < dim; ++j)
    out[j] = static_cast<T>((static_cast<double>(sample[j]) - mean[j]) * factor[j]);
}

// Below this, squares of the deviations may have underflowed (of doubles around 1e-160).
constexpr double kTiny = 1e-280;

// The deviation of one feature, its squares taken in units of the largest distance.
template <typename Samples>
double careful_deviation(const Samples& samples, Index feature, double mean) {
  double largest = 0.0;
  for (Index i = 0; i < samples.cols(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(samples(feature, i)) - mean));
  if (largest < std::numeric_limits<double>::min()) return 0.0;
  double square = 0.0;
  for (Index i = 0; i < samples.cols(); ++i)
    square += std::pow((static_cast<double>(samples(feature, i)) - mean) / largest, 2);
  return largest * std::sqrt(square / static_cast<double>(samples.cols()));
}

// Two passes: the variance is summed about the mean, not as a difference of large numbers.
template <typename Samples>
Standardizer fit(const Samples& samples) {
  using T = typename Samples::Scalar;
  const auto n = static_cast<double>(samples.cols());
  const Index dim = samples.rows();
  Standardizer out{Vector::Zero(dim), Vector::Zero(dim)};
  for (Index i = 0; i < samples.cols(); ++i)
    for_this_processor<add_sample<T>>(samples.col(i).data(), dim, out.mean.data());
  out.mean /= n;
  Vector square = Vector::Zero(dim);
  for (Index i = 0; i < samples.cols(); ++i)
    for_this_processor<add_square<T>>(samples.col(i).data(), out.mean.data(), dim, square.data());
  for (Index j = 0; j < dim; ++j) {
    const double deviation =
        square[j] < kTiny ? careful_deviation(samples, j, out.mean[j]) : std::sqrt(square[j] / n);
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
  for (Index i = 0; i < samples.cols(); ++i) apply_to(samples.col(i).data(), samples.col(i).data());
}

void Standardizer::apply_to(const float* sample, float* out) const {
  for_this_processor<scale_sample<float>>(sample, mean.data(), factor.data(), mean.size(), out);
}
void Standardizer::apply_to(const double* sample, double* out) const {
  for_this_processor<scale_sample<double>>(sample, mean.data(), factor.data(), mean.size(), out);
}

}  // namespace assay
