#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "assay/network.h"
#include "io/npy.h"
#include "support.h"

namespace assay::test {

// A float32 array of any shape, in memory.
struct FloatArray {
  std::vector<Index> shape;
  std::vector<float> values;

  ImageBatch images() const { return {values.data(), shape[0], shape[1], shape[2], shape[3]}; }
};

inline FloatArray load_floats(const std::filesystem::path& path) {
  const Array array = open_npy(path);
  FloatArray out{array.shape, {}};
  for (Index i = 0; i < array.size(); ++i)
    out.values.push_back(static_cast<float>(number_at(array, i)));
  return out;
}

// Largest difference, relative to the largest expected value.
inline double relative_difference(const std::vector<float>& found,
                                  const std::vector<float>& expected) {
  if (found.size() != expected.size()) return INFINITY;
  double worst = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!std::isfinite(found[i])) return INFINITY;
    worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
  }
  return worst / largest;
}

}  // namespace assay::test
