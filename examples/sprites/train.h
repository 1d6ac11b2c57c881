#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plan.h"
#include "world.h"

namespace sprites {

// The source part of the world: to train on, and new images of the same kind to test on.
struct Source {
  Scene training;
  Scene test;
};

struct TrainedNetwork {
  std::string torchscript;  // the bytes of a .pt file
  assay::Index params = 0;
  std::optional<double> accuracy;  // on the test images, where the pretext has classes
  double seconds = 0.0;
};

// Trains one network on the calling thread alone: the result depends on plan, source and seed, not
// on what else is trained beside it. (libtorch stays behind this header.)
TrainedNetwork train_network(const Plan& plan, const Source& source, std::uint64_t seed);

}  // namespace sprites
