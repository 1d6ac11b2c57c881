#pragma once

#include <optional>
#include <span>

#include "assay/paired_test.h"
#include "assay/types.h"

namespace assay {

// Do pairs of measurements differ, a from b? They must be equally many.
PairedTest paired_t_test(std::span<const double> a, std::span<const double> b);

}  // namespace assay
