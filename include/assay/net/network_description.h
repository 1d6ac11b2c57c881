#pragma once

#include <array>

#include "assay/core/types.h"

namespace assay {

// What a network expects of its pixels, as in hub.json: the value x (0 ... 255) of its channel c
// becomes (x / input_scale - mean[c]) / std[c]. With `bgr` its channel 0 is blue, and so are
// mean[0] and std[0].
struct Preprocessing {
  Index input_size = 224;
  double input_scale = 255.0;
  std::array<double, 3> mean = {0.0, 0.0, 0.0};
  std::array<double, 3> std = {1.0, 1.0, 1.0};
  bool bgr = false;
};

}  // namespace assay
