#pragma once

#include <span>
#include <vector>

#include "assay/types.h"

namespace assay {

// Few shifts from which functions of many shifts follow by interpolation.
//
// Leverages of every sample are needed at the t of every target column. As functions of log t they
// are analytic for |Im log t| < pi, so polynomials through Chebyshev's points converge fast: over
// pieces of width 4 sixteen points leave an error below 1e-8 of the function's size. Pieces with no
// more shifts than that are not interpolated at all.
struct ShiftGrid {
  std::vector<double> shifts;  // G, where the function has to be known
  Matrix weights;  // G x C: function at the wanted shifts = values at the grid * weights
};

// wanted: C positive shifts.
ShiftGrid shift_grid(std::span<const double> wanted);

}  // namespace assay
