#pragma once

#include <optional>

#include "assay/types.h"

namespace assay {

// The setting with the least error, told from some of the samples.
struct DrawnPenalty {
  Index setting = 0;
  double error = 0.0;      // of all samples, estimated
  double deviation = 0.0;  // of that estimate

  // Whether the error of all samples, once known, lies within eight deviations of the estimate. If
  // not, the draw did not represent the data: a few samples outside of it make up most of the
  // error.
  bool consistent_with(double measured) const;
};

// Leave-one-out squared errors E_k = sum_i squares_ki / shares_ki^2 of several settings k, from
// samples drawn at random out of `population`. Where the sum of all squares is known, it makes a
// ratio estimator, E_k ~ totals_k (sum_i squares_ki / shares_ki^2) / (sum_i squares_ki), whose
// spread is that of the shares alone.
//
// Nothing unless sums rest on many samples, the draw's squares agree with those of all samples and
// one setting leads every other by eight standard errors of their difference. The caller evaluates
// all samples when there is no answer.
std::optional<DrawnPenalty> penalty_from_draw(const Matrix& squares, const Matrix& shares,
                                              const Vector& totals, Index population);

}  // namespace assay
