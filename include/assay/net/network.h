#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/core/types.h"

namespace assay {

struct NetworkOutput {
  std::string name;  // "features", "logits", or the name of a layer
  Index dim = 0;     // numbers per image (flattened); 0 = not known before the first forward
};

// Prepared images: float32, NCHW, already scaled and normalised.
struct ImageBatch {
  const float* pixels = nullptr;
  Index count = 0, channels = 0, height = 0, width = 0;
};

// A network that turns prepared images into numbers. Implementations live in plug-ins.
class Network {
 public:
  virtual ~Network() = default;
  virtual std::vector<NetworkOutput> outputs() const = 0;

  // One count x dim row-major float matrix per name in `wanted`, in that order. Throws Error naming
  // the file on failure. May be called from several threads at once (each call runs on one thread).
  virtual std::vector<std::vector<float>> forward(const ImageBatch& batch,
                                                  std::span<const std::string> wanted) = 0;
};

}  // namespace assay
