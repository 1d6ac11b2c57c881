#pragma once

#include <optional>

#include "assay/types.h"

namespace assay {

// Whether pairs of measurements differ.
struct PairedTest {
  Index pairs = 0;
  double difference = 0.0;   // mean of a - b
  std::optional<double> sd;  // of the differences; none for one pair
  std::optional<double> p;   // two-sided, Student's t; none for one pair or equal differences
  // 95 % interval of the difference by the same t; none where there is no p.
  std::optional<double> low = {}, high = {};
};

}  // namespace assay
