#pragma once

#include <optional>

#include "assay/types.h"

namespace assay {

// The setting with the least error, told from some of the samples.
struct DrawnPenalty {
  Index setting = 0;
  double error = 0.0;      // of all samples, estimated
  double deviation = 0.0;  // of that estimate

  // Whether the error of all samples, once known, is one that the estimate could have meant. If
  // not, these samples were no picture of the others: a few of those weigh more than all of these.
  bool consistent_with(double measured) const;
};

// Leave-one-out squared errors E_k = sum_i squares_ki / shares_ki^2 of several settings k, from
// samples drawn at random out of `population`. Where the sum of all squares is known, it makes a
// ratio estimator, E_k ~ totals_k (sum_i squares_ki / shares_ki^2) / (sum_i squares_ki), whose
// spread is that of the shares alone.
//
// Nothing unless sums rest on many samples, the draw's squares are such as all samples' and one
// setting is ahead of every other by eight standard errors of their difference: the choice is then
// that of all samples for any purpose, and who doubts it must look at all.
std::optional<DrawnPenalty> penalty_from_draw(const Matrix& squares, const Matrix& shares,
                                              const Vector& totals, Index population);

}  // namespace assay
