#pragma once

// Options of what is trained by gradients, for requests of curve.h and tune.h.

#include <functional>
#include <vector>

#include "assay/types.h"

namespace assay {

struct AdamOptions {
  double rate = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

struct MlpOptions {
  std::vector<Index> hidden = {512, 512};
  AdamOptions adam = {};
  Index batch = 256;
  Index updates = 4000;
  // Stops when the training loss, averaged over the last 100 updates, is below this: nothing is
  // left to learn from these rows. 0 = never, as in the paper.
  double stop_loss = 0.0;
  std::function<void()> watch = {};  // called at every update; what it throws ends the training
};

enum class RateSchedule { constant, step, cosine };

}  // namespace assay
