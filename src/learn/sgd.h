#pragma once

#include <span>
#include <vector>

#include "assay/types.h"

namespace assay {

struct SgdOptions {
  double momentum = 0.9;
  bool nesterov = true;
  double weight_decay = 5e-4;
};

// Part of the parameters: what it multiplies the rate and the decay by. Parameters in no range stay
// as they are.
struct SgdRange {
  Index begin = 0, end = 0;
  double rate_factor = 1.0;
  double decay_factor = 1.0;
};

// Stochastic gradient descent as PyTorch has it, without dampening:
//
//     d = gradient + decay * p;  v = momentum * v + d;  p -= rate * (d + momentum * v)   (Nesterov)
//                                                       p -= rate * v                    (else)
class Sgd {
 public:
  Sgd(Index size, const SgdOptions& options)
      : options_(options), velocity_(static_cast<std::size_t>(size)) {}

  void step(std::span<float> parameters, std::span<const float> gradient, double rate,
            std::span<const SgdRange> ranges);

  const std::vector<float>& velocity() const { return velocity_; }
  void set_velocity(std::vector<float> velocity) { velocity_ = std::move(velocity); }

 private:
  SgdOptions options_;
  std::vector<float> velocity_;
};

}  // namespace assay
