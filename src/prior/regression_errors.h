#pragma once

#include <algorithm>
#include <utility>

#include "prior/principal_axes.h"

namespace assay {

// Samples that one task works on; it depends on the data alone, so sums do, too.
inline constexpr Index kRegressionBlock = 512;

inline Index regression_blocks(Index samples) {
  return (samples + kRegressionBlock - 1) / kRegressionBlock;
}

// First sample and number of samples.
inline std::pair<Index, Index> regression_block(Index block, Index samples) {
  const Index first = block * kRegressionBlock;
  return {first, std::min(kRegressionBlock, samples - first)};
}

// Ridge regression with an intercept in principal axes: weights (S + l)^-1 Z y, and without
// sample i the residual divided by 1 - 1/n - z_i'(S + l)^-1 z_i.
class LeaveOneOut {
 public:
  LeaveOneOut(const PrincipalAxes& axes, double penalty)
      : weights_((axes.spectrum.array() + penalty).inverse()),
        all_(1.0 - 1.0 / static_cast<double>(axes.z.cols())) {}

  const Vector& weights() const { return weights_; }  // of the axes

  // The square of what divides the residual; a sample that alone spans an axis keeps nothing.
  template <typename Sample>
  double kept_square(const Sample& z) const {
    const double kept = std::max(all_ - z.cwiseAbs2().dot(weights_), 1e-10);
    return kept * kept;
  }

 private:
  Vector weights_;
  double all_;
};

}  // namespace assay
