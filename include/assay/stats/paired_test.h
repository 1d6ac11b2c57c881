#pragma once

#include <optional>
#include <span>

#include "assay/core/types.h"

namespace assay {

struct PairedTest {
  Index pairs = 0;
  double difference = 0.0;   // mean of a - b
  std::optional<double> sd;  // of the differences; none for one pair
  std::optional<double> p;   // two-sided, Student's t; none for one pair or equal differences
};

// Do pairs of measurements differ, a from b? They must be equally many.
PairedTest paired_t_test(std::span<const double> a, std::span<const double> b);

}  // namespace assay
