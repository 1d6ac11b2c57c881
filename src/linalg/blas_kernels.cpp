#include "linalg/blas_kernels.h"

#include <algorithm>
#include <array>
#include <cstdlib>

extern "C" char* openblas_get_corename();

namespace assay {
namespace {

// OpenBLAS's names of x86-64 kernels with at most AVX.
constexpr std::array<std::string_view, 17> kWithoutAvx2 = {
    "Prescott",   "Core2",       "Penryn",       "Dunnington", "Nehalem",  "Sandybridge",
    "Atom",       "Nano",        "Opteron",      "Barcelona",  "Bobcat",   "Bulldozer",
    "Piledriver", "Steamroller", "Opteron_SSE3", "Athlon",     "Northwood"};

}  // namespace

std::string better_blas_kernels(std::string_view chosen, VectorLevel processor) {
  if (std::ranges::find(kWithoutAvx2, chosen) == kWithoutAvx2.end()) return {};
  if (processor == VectorLevel::v4) return "SkylakeX";
  return processor == VectorLevel::v3 ? "Haswell" : "";
}

std::string better_blas_kernels() {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return {};
  return better_blas_kernels(openblas_get_corename(), highest_vector_level());
}

}  // namespace assay
