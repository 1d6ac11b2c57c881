#include "linalg/blas_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace assay {
namespace {

TEST(BlasKernels, OfAnOldProcessorAreReplacedOnANewOne) {
  EXPECT_EQ(better_blas_kernels("Prescott", VectorLevel::v4), "SkylakeX");
  EXPECT_EQ(better_blas_kernels("Nehalem", VectorLevel::v3), "Haswell");
}

TEST(BlasKernels, ThatFitTheProcessorStay) {
  EXPECT_EQ(better_blas_kernels("Prescott", VectorLevel::baseline), "");
  EXPECT_EQ(better_blas_kernels("Zen", VectorLevel::v4), "");  // its makers prefer these
  EXPECT_EQ(better_blas_kernels("SkylakeX", VectorLevel::v4), "");
  EXPECT_EQ(better_blas_kernels("neoversen1", VectorLevel::baseline), "");
}

TEST(BlasKernels, ThatSomebodyChoseStay) {
  const char* const before = std::getenv("OPENBLAS_CORETYPE");
  if (before == nullptr) ::setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  EXPECT_EQ(better_blas_kernels(), "");
  if (before == nullptr) ::unsetenv("OPENBLAS_CORETYPE");
}

}  // namespace
}  // namespace assay
