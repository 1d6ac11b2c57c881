#pragma once

#include <algorithm>
#include <limits>

#include "assay/types.h"

namespace assay {

// Whether sums of squares in double over all features, `total` in all, keep fewer than three digits
// of one that is `typical`: what metrics on such sums flag as `ill_scaled`.
inline bool loses_digits(double total, double typical, Index samples, Index dim) {
  const double rounding =
      static_cast<double>(std::max(samples, dim)) * std::numeric_limits<double>::epsilon();
  return total * rounding > 1e-3 * typical;
}

}  // namespace assay
