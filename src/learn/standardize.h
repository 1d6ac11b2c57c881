#pragma once

#include "assay/types.h"

namespace assay {

// Per feature: minus its mean, divided by its standard deviation (population). Features that do
// not vary become zero.
struct Standardizer {
  Vector mean;
  Vector factor;  // 1 / standard deviation, or 0

  void apply(Matrix& samples) const;  // D x n, one per column

  // One sample of D values, in place or into another; the arithmetic is double.
  void apply_to(const float* sample, float* out) const;
  void apply_to(const double* sample, double* out) const;
};

Standardizer fit_standardizer(const Eigen::Ref<const Matrix>& samples);
Standardizer fit_standardizer(const Eigen::Ref<const Eigen::MatrixXf>& samples);

}  // namespace assay
