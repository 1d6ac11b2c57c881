#pragma once

#include <string>

#include "assay/types.h"
#include "io/npy.h"
#include "support.h"

namespace assay::test {

// A .npy file of tests/golden in C order, n samples of d numbers, as the d x n matrix whose
// columns they are. Of more dimensions, the last is d.
inline Matrix golden_samples(const std::string& relative) {
  const Array array = open_npy(golden(relative));
  const Index dim = array.shape.back();
  Matrix out(dim, array.size() / dim);
  for (Index i = 0; i < array.size(); ++i) out.data()[i] = number_at(array, i);
  return out;
}

}  // namespace assay::test
