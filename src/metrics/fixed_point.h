#pragma once

#include <string_view>
#include <vector>

#include "assay/metric.h"
#include "assay/types.h"
#include "metrics/evidence.h"
#include "metrics/problem.h"

namespace assay {

// f of the first `most` active columns at `points` values of t, from a hundredth of the smallest
// fixed point to a hundred times the largest. Cost: O(p) per column and point.
FixedPointCurves fixed_point_curves(const Reduced& reduced, const std::vector<bool>& active,
                                    Index most = 10, Index points = 41);

// "interior", "uninformative", ...: the words of logme's flags.
std::string_view evidence_case_name(EvidenceCase kind);

}  // namespace assay
