#pragma once

#include <vector>

#include "linalg/tridiagonal.h"

namespace assay {

// T + t I = L D L'.
struct TridiagonalFactor {
  std::vector<double> inverse_pivot;  // 1 / D
  std::vector<double> multiplier;     // the sub-diagonal of L
};

TridiagonalFactor factorize(const Tridiagonal& t, double shift);

}  // namespace assay
