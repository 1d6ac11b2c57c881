#pragma once

#include <functional>
#include <span>
#include <vector>

#include "assay/network.h"
#include "assay/targets.h"
#include "assay/types.h"

namespace assay {

// Training sample `row` as it is seen in view `view` (images/prepare.h).
struct BatchRow {
  Index row = 0;
  Index view = 0;
};

// Images ready for the network.
struct PreparedBatch {
  std::vector<float> pixels;
  Index count = 0, channels = 0, height = 0, width = 0;

  ImageBatch images() const { return {pixels.data(), count, channels, height, width}; }
};
using PrepareBatch = std::function<PreparedBatch(std::span<const BatchRow>)>;

// What the head is to say, by row of the data: classes, or numbers.
struct TaskTargets {
  TargetKind kind = TargetKind::classes;
  Index outputs = 0;          // classes, or numbers per sample
  std::vector<Label> labels;  // classes only
  Matrix values;              // regression only: outputs x rows
};

}  // namespace assay
