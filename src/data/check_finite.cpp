#include "data/check_finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/error.h"

namespace assay {
namespace {

// Largest magnitude of the values; NaN when one of them is not finite. Eight
// running maxima, because the compiler may not reorder a single one.
template <typename T>
double largest_magnitude(const T* values, Index count) {
  T largest[8] = {};
  T poison[8] = {};  // stays 0 unless a value is NaN or infinite
  Index i = 0;
  for (; i + 8 <= count; i += 8) {
    for (Index k = 0; k < 8; ++k) {
      const T magnitude = std::abs(values[i + k]);
      largest[k] = largest[k] > magnitude ? largest[k] : magnitude;
      poison[k] += values[i + k] * T{0};
    }
  }
  for (; i < count; ++i) {
    largest[0] = std::max(largest[0], std::abs(values[i]));
    poison[0] += values[i] * T{0};
  }
  for (Index k = 1; k < 8; ++k) {
    largest[0] = std::max(largest[0], largest[k]);
    poison[0] += poison[k];
  }
  return poison[0] == T{0} ? static_cast<double>(largest[0])
                           : std::numeric_limits<double>::quiet_NaN();
}

template <typename T>
double check(const RowSource& rows, Index row, const T* values) {
  const double largest = largest_magnitude(values, rows.cols());
  if (!std::isnan(largest)) return largest;
  Index column = 0;
  while (std::isfinite(values[column])) ++column;
  fail_input(fmt::format("{}: row {}, column {} is {}; remove the row or impute it", rows.where(),
                         row, column, std::isnan(values[column]) ? "NaN" : "infinite"));
}

}  // namespace

double checked_magnitude(const RowSource& rows, Index row, const float* values) {
  return check(rows, row, values);
}
double checked_magnitude(const RowSource& rows, Index row, const double* values) {
  return check(rows, row, values);
}

}  // namespace assay
