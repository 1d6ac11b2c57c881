#pragma once

#include <string_view>
#include <vector>

#include "assay/core/types.h"
#include "assay/metrics/evidence.h"
#include "assay/metrics/problem.h"

namespace assay {

// The iteration of the LogME paper as a function, for one target column. With t = alpha / beta
// (Eq. 3 and 4, Figure 4):
//
//     f(t) = gamma / (n - gamma) |F m - y|^2 / m'm,   gamma = sum_i s_i / (t + s_i)
//
// m being the posterior mean of the weights at t. Where f(t) = t, the evidence is stationary.
struct FixedPointCurve {
  Index column = 0;
  EvidenceCase kind = EvidenceCase::skipped;
  double t = 0.0;         // where the evidence is largest; infinite when uninformative
  std::vector<double> f;  // at every t of the grid; NaN where it does not exist
};

struct FixedPointCurves {
  std::vector<double> t;                 // growing by a constant factor, the same for all columns
  std::vector<FixedPointCurve> columns;  // of the first active ones
};

// f of the first `most` active columns at `points` values of t, from a hundredth of the smallest
// fixed point to a hundred times the largest. Cost: O(p) per column and point.
FixedPointCurves fixed_point_curves(const Reduced& reduced, const std::vector<bool>& active,
                                    Index most = 10, Index points = 41);

// "interior", "uninformative", ...: the words of logme's flags.
std::string_view evidence_case_name(EvidenceCase kind);

}  // namespace assay
