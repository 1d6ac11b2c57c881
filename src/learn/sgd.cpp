#include "learn/sgd.h"

#include <cassert>

#include "core/dispatch.h"

namespace assay {
namespace {

struct FloatStep {
  float rate, momentum, decay;
  bool nesterov;
};

void descend(float* parameters, const float* gradient, float* velocity, Index count,
             FloatStep step) {
  for (Index i = 0; i < count; ++i) {
    const float d = gradient[i] + step.decay * parameters[i];
    velocity[i] = step.momentum * velocity[i] + d;
    const float direction = step.nesterov ? d + step.momentum * velocity[i] : velocity[i];
    parameters[i] -= step.rate * direction;
  }
}

}  // namespace

// The update of sgd.h; Nesterov's momentum in the form of Sutskever et al., ICML 2013, as PyTorch
// has it.
void Sgd::step(std::span<float> parameters, std::span<const float> gradient, double rate,
               std::span<const SgdRange> ranges) {
  assert(parameters.size() == velocity_.size() && gradient.size() == velocity_.size());
  for (const SgdRange& range : ranges) {
    const FloatStep step{
        static_cast<float>(rate * range.rate_factor), static_cast<float>(options_.momentum),
        static_cast<float>(options_.weight_decay * range.decay_factor), options_.nesterov};
    for_this_processor<descend>(parameters.data() + range.begin, gradient.data() + range.begin,
                                velocity_.data() + range.begin, range.end - range.begin, step);
  }
}

}  // namespace assay
