#pragma once

#include <optional>
#include <string_view>

#include "core/dispatch.h"

namespace assay {

// A release of OpenBLAS takes processors that are newer than itself for unknown ones and uses its
// oldest kernels, with vectors of two doubles, on all of them: several times slower. The kernels by
// which such a processor should go (OPENBLAS_CORETYPE), or nothing where OpenBLAS chose by itself.
// `chosen`: what OpenBLAS reports as in use.
std::optional<std::string_view> better_blas_kernel(std::string_view chosen, VectorLevel processor);

// The same for the OpenBLAS that is loaded; nothing where OPENBLAS_CORETYPE is set already. The
// variable is read while the library is loaded, so a program has to be started anew for it.
std::optional<std::string_view> better_blas_kernel();

}  // namespace assay
