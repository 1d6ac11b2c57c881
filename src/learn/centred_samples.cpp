#include "learn/centred_samples.h"

#include <algorithm>

namespace assay {

SampleRange sample_range(Index block, Index samples) {
  const Index first = block * kSampleBlock;
  return {first, std::min(kSampleBlock, samples - first)};
}

Vector sample_mean(const Matrix& samples) {
  if (samples.cols() == 0) return Vector::Zero(samples.rows());
  const Vector origin = samples.col(0);
  Vector sum = Vector::Zero(samples.rows());
  for (Index i = 1; i < samples.cols(); ++i) sum += samples.col(i) - origin;
  return origin + sum / static_cast<double>(samples.cols());
}

double mean_variance(const Matrix& samples) {
  if (samples.size() == 0) return 0.0;
  const Vector mean = sample_mean(samples);
  double sum = 0.0;
  for (Index i = 0; i < samples.cols(); ++i) sum += (samples.col(i) - mean).squaredNorm();
  return sum / static_cast<double>(samples.size());
}

Matrix centred(const Matrix& samples, SampleRange range, const Vector& centre) {
  return samples.middleCols(range.first, range.count).colwise() - centre;
}

}  // namespace assay
