#pragma once

#include "assay/types.h"
#include "metrics/problem.h"

namespace assay {

// |P 1_c|^2 for every class c, P the projection onto the span of the centred features: what H-score
// is made of. Unchanged by any scaling of the features, so they are brought to unit deviation first
// and no feature costs another one digits.
struct ClassProjections {
  Vector squares;    // C
  Index rank = 0;    // dimensions of the span
  double error = 0;  // expected rounding of sum_c squares_c / n_c; infinite where float products
                     // cannot tell dependent features from others
};

// A feature counts as dependent once the others explain all of its variance but
//
//     4 (n + D) eps,
//
// a bound on the rounding of that share: sums of n products err by n eps / 2 at most, D steps of
// elimination by as much again, and both ends of a product with weights of norm one by four times.
ClassProjections class_projections(const Problem& problem);

}  // namespace assay
