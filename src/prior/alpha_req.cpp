#include "prior/alpha_req.h"

#include <algorithm>
#include <cmath>

#include "prior/row_spectrum.h"

namespace assay {

std::optional<double> power_law_decay(const Vector& eigenvalues) {
  constexpr Index first = 11, last = 100, fewest = 20;
  constexpr double rounding = 1e-12;  // beside the largest
  Index known = 0;
  while (known < eigenvalues.size() && eigenvalues[known] > rounding * eigenvalues[0]) ++known;
  if (known < fewest) return {};
  double weights = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (Index j = first; j <= std::min(last, known); ++j) {
    const double w = 1.0 / static_cast<double>(j);
    const double at = std::log(static_cast<double>(j));
    const double value = std::log(eigenvalues[j - 1]);
    weights += w;
    x += w * at;
    y += w * value;
    xx += w * at * at;
    xy += w * at * value;
  }
  return -(weights * xy - x * y) / (weights * xx - x * x);
}

std::optional<double> alpha_req(ThreadPool& pool, const RowSource& rows) {
  return power_law_decay(row_spectrum(pool, rows, true));
}

}  // namespace assay
