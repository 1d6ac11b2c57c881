#include "core/blas_kernel.h"

#include <cstdlib>

// Weak: other libraries of the same interface do not have it.
extern "C" __attribute__((weak)) char* openblas_get_corename(void);

namespace assay {

std::optional<std::string_view> better_blas_kernel(std::string_view chosen, VectorLevel processor) {
  // What unknown processors get. Those that deserve it have no more than the baseline.
  if (chosen != "Prescott") return {};
  switch (processor) {
    case VectorLevel::v4:
      return "SkylakeX";  // the first with AVX-512: whatever has level v4 can run it
    case VectorLevel::v3:
      return "Haswell";
    case VectorLevel::baseline:
      break;
  }
  return {};
}

std::optional<std::string_view> better_blas_kernel() {
  if (openblas_get_corename == nullptr || std::getenv("OPENBLAS_CORETYPE") != nullptr) return {};
  return better_blas_kernel(openblas_get_corename(), highest_vector_level());
}

}  // namespace assay
