#include <algorithm>
#include <cmath>

#include "prior/effective_rank.h"
#include "prior/row_spectrum.h"

namespace assay {

double effective_rank(const Vector& values) {
  constexpr double smallest = 1e-7;
  const double sum = values.cwiseAbs().sum();
  if (!(sum > 0.0)) return 1.0;
  double entropy = 0.0;
  for (const double value : values) {
    const double p = std::abs(value) / sum + smallest;
    entropy -= p * std::log(p);
  }
  return std::exp(entropy);
}

double rankme(ThreadPool& pool, const RowSource& rows) {
  return effective_rank(row_spectrum(pool, rows, false).cwiseSqrt());
}

}  // namespace assay
