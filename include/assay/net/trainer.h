#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/core/types.h"
#include "assay/net/network.h"
#include "assay/net/network_description.h"

namespace assay {

struct StateTensor {
  std::string name;  // "conv1.weight"
  Index size = 0;    // numbers
};

// What gradients reach, and what forward passes leave behind (BatchNorm's running statistics).
enum class StateKind { parameters, buffers };

// What a forward pass is for.
enum class Pass {
  training,    // BatchNorm in training mode; backward gives the parameters' gradient
  evaluation,  // BatchNorm as it stands; no backward
  attack,      // as evaluation; backward gives the pixels' gradient
};

struct ParameterGradient {
  std::vector<float> values;    // all parameters, one after another
  std::vector<bool> took_part;  // per tensor; false: the features do not depend on it
};

// A linear layer on the features: logits = weight f + bias.
struct HeadView {
  std::span<const float> weight;  // outputs x features, row-major
  std::span<const float> bias;    // outputs
};

// A network that can learn: features out, gradient of the features in. Implementations live in
// plug-ins; losses and optimisers do not. One thread at a time.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual const std::vector<StateTensor>& tensors(StateKind kind) const = 0;

  // All tensors of a kind, one after another.
  virtual std::vector<float> state(StateKind kind) const = 0;
  virtual void set_state(StateKind kind, std::span<const float> values) = 0;

  // count x dim features, row-major. Throws Error naming the file on failure.
  virtual std::vector<float> forward(const ImageBatch& batch, Pass pass) = 0;

  // Of the latest forward pass, once: after Pass::training and Pass::attack respectively.
  // `features`: dL/dfeatures.
  virtual ParameterGradient backward(std::span<const float> features) = 0;
  virtual std::vector<float> backward_to_pixels(std::span<const float> features) = 0;

  // The network as it is now with this head: a file that its framework loads.
  virtual std::string saved(const HeadView& head) = 0;
};

// Throws Error as open_network does, and for backends that cannot train. `threads` of the framework
// serve each pass; results depend on their number in the last digits.
std::unique_ptr<Trainer> open_trainer(const NetworkDescription& description, int threads);

}  // namespace assay
