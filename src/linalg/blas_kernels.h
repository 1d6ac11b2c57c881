#pragma once

#include <string>
#include <string_view>

#include "core/dispatch.h"

namespace assay {

// The value of OPENBLAS_CORETYPE that fits this processor better than the kernels OpenBLAS chose by
// itself, or empty. A release that is older than the processor does not know it, and takes kernels
// without its vectors: OpenBLAS 0.3.21 runs those of a Prescott (2004) on an Emerald Rapids, at
// half to a tenth of the speed. Empty too when OPENBLAS_CORETYPE is set: then somebody has chosen.
std::string better_blas_kernels();

// The rule behind it: kernels for processors without AVX2, on one that has more.
std::string better_blas_kernels(std::string_view chosen, VectorLevel processor);

}  // namespace assay
