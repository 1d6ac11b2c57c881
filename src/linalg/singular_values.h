#pragma once

#include "assay/types.h"

namespace assay {

// Singular values, descending. Unlike roots of a Gram matrix's eigenvalues, small ones keep their
// digits beside large ones: absolute errors are of the size of rounding of the largest.
// Cost: about 8/3 m k^2 flops for the smaller side k.
Vector singular_values(Matrix matrix);

// Sum of the singular values (nuclear norm).
double nuclear_norm(Matrix matrix);

}  // namespace assay
