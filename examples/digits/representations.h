#pragma once

#include <string>
#include <vector>

#include "assay/types.h"

namespace digits {

inline constexpr assay::Index kSide = 8;  // images are kSide x kSide, stored row by row
inline constexpr assay::Index kPixels = kSide * kSide;

// One way to describe an image in numbers, applied to all images.
struct Representation {
  std::string name;
  assay::Matrix features;  // one row per image
};

// Representations of clearly different quality and dimension, standing in for the
// models of a hub. `images` has one row of kPixels numbers in [0, 1] per image.
// What has to be fitted (the axes of a PCA, a mean) is fitted on the rows
// `training` alone; what is random depends on `seed` alone.
std::vector<Representation> represent(const assay::Matrix& images,
                                      const std::vector<assay::Index>& training,
                                      std::uint64_t seed);

}  // namespace digits
