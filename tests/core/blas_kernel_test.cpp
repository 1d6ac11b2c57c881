#include "core/blas_kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace assay {
namespace {

TEST(BlasKernel, ProcessorsThatOpenBlasDoesNotKnowGetTheKernelsOfTheirLevel) {
  EXPECT_EQ(better_blas_kernel("Prescott", VectorLevel::v4), "SkylakeX");
  EXPECT_EQ(better_blas_kernel("Prescott", VectorLevel::v3), "Haswell");
  EXPECT_EQ(better_blas_kernel("Prescott", VectorLevel::baseline), std::nullopt);
}

TEST(BlasKernel, WhatOpenBlasChoseByItselfStays) {
  for (const char* chosen : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "Nehalem", "armv8"})
    EXPECT_EQ(better_blas_kernel(chosen, VectorLevel::v4), std::nullopt) << chosen;
}

TEST(BlasKernel, WhatTheUserChoseStays) {
  ASSERT_EQ(setenv("OPENBLAS_CORETYPE", "Prescott", 1), 0);
  EXPECT_EQ(better_blas_kernel(), std::nullopt);
  ASSERT_EQ(unsetenv("OPENBLAS_CORETYPE"), 0);
}

}  // namespace
}  // namespace assay
