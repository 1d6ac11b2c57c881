#pragma once

#include <span>
#include <vector>

#include "assay/types.h"
#include "core/random.h"

namespace assay {

// The value between the pixels of a size x size plane, by the four nearest; the border repeats.
float value_at(std::span<const float> plane, Index size, double y, double x);

// Smooth noise in [0, 1], size x size: grids of 2, 4, 8, ... random numbers along a side, each half
// as strong as the one before, interpolated; stretched to the whole range.
std::vector<float> cloud(Index size, Random& random);

// The mean over a line of `length` pixels through every pixel, at an angle in radians.
void smear(std::span<float> plane, Index size, double length, double angle);

}  // namespace assay
