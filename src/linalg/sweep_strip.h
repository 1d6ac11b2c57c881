#pragma once

#include <algorithm>

#include "assay/types.h"

namespace assay {

inline constexpr Index kStrip =
    16;  // right-hand sides swept together: their sums stay in registers

// sums[k] = sum_i w_ik^2 / d_i with L w = b for kStrip right-hand sides b: the forward sweep of
// T + t I = L D L' (TridiagonalFactor). Entry i of right-hand side k is b[i * stride + k]. One loop
// for for_this_processor.
template <typename T>
void sweep_strip(const T* b, Index stride, const double* multiplier, const double* inverse_pivot,
                 Index p, double* sums) {
  double w[kStrip];
  double sum[kStrip];
  for (Index k = 0; k < kStrip; ++k) {
    w[k] = static_cast<double>(b[k]);
    sum[k] = w[k] * w[k] * inverse_pivot[0];
  }
  for (Index i = 1; i < p; ++i) {
    const double l = multiplier[i - 1];
    const double r = inverse_pivot[i];
    const T* row = b + i * stride;
    for (Index k = 0; k < kStrip; ++k) {
      w[k] = static_cast<double>(row[k]) - l * w[k];
      sum[k] += w[k] * w[k] * r;
    }
  }
  std::copy_n(sum, kStrip, sums);
}

}  // namespace assay
