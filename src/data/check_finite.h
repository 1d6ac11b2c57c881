#pragma once

#include "assay/rows.h"
#include "assay/types.h"

namespace assay {

// The largest magnitude among the D values of a row; throws Error naming file,
// row and column when one of them is NaN or infinite.
double checked_magnitude(const RowSource& rows, Index row, const float* values);
double checked_magnitude(const RowSource& rows, Index row, const double* values);

}  // namespace assay
