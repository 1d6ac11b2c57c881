// Multiplies two matrices (OpenBLAS takes some cores on trust: this ends by an illegal instruction
// where the processor cannot run their kernels), then prints the core whose kernels OpenBLAS runs,
// and the level of our own vector loops.
#include <cstdio>
#include <exception>
#include <string>

#include "assay/types.h"
#include "core/dispatch.h"
#include "linalg/gram.h"

extern "C" char* openblas_get_corename(void);

int main() {
  try {
    const assay::Matrix a = assay::Matrix::Ones(64, 64);
    if (assay::product(a, false, a, true)(5, 7) != 64.0) return 3;
    std::printf("%s %s\n", openblas_get_corename(),
                std::string(assay::name_of(assay::vector_level())).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
