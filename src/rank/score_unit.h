#pragma once

#include <string_view>

#include "assay/metric.h"
#include "assay/targets.h"

namespace assay {

// The unit of a metric's scores on targets of a kind: what is an accuracy or an error of classes is
// R2, the variance left or average precision of others.
std::string_view score_unit(const Metric& metric, TargetKind kind);

}  // namespace assay
