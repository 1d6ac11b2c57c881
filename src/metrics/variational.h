#pragma once

#include <vector>

#include "assay/metrics/probabilities.h"

namespace assay {

// The step that both variational bounds share: with q*(z_i = z) proportional to
// M_iz exp(score_{y_i z}), the expected counts n_yz = sum_i q_iz [y_i = y] and
//
//     sum_i sum_z q_iz (log q_iz - log M_iz) = sum_yz n_yz score_yz - sum_i log N_i
//
// with N_i the normalisers: q itself is never stored, and no exponential is taken per sample.
struct Assignment {
  Matrix counts;         // K x Z
  double entropy = 0.0;  // the sum above
};
Assignment assign(const Probabilities& source, const Matrix& scores);

// Sweeps end when the bound moves by less than this, relatively.
inline constexpr double kSweepTolerance = 1e-12;
inline constexpr int kMostSweeps = 10000;

}  // namespace assay
