#pragma once

#include "assay/core/types.h"

namespace assay {

// What a network costs to run.
struct ModelCost {
  double latency_ms = 0.0;  // per image, one thread, one image at a time
  Index params = 0;         // 0: not known
  double bytes = 0.0;       // of the file
};

}  // namespace assay
