#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/types.h"

namespace assay {

enum class Interpolation { bilinear, bicubic };
std::string interpolation_name(Interpolation interpolation);  // as in hub.json

// What a network expects of its pixels, as in hub.json: the value x (0 ... 255) of its channel c
// becomes (x / input_scale - mean[c]) / std[c]. With `bgr` its channel 0 is blue, and so are
// mean[0] and std[0].
//
// Without `crop_pct` the whole image is squeezed into a square. With it the image is resized until
// its shorter side has floor(input_size / crop_pct) pixels, and the central square is cut out.
struct Preprocessing {
  Index input_size = 224;
  double input_scale = 255.0;
  std::array<double, 3> mean = {0.0, 0.0, 0.0};
  std::array<double, 3> std = {1.0, 1.0, 1.0};
  bool bgr = false;
  Interpolation interpolation = Interpolation::bilinear;
  double crop_pct = 0.0;  // above 0 and at most 1; 0: no crop
};

enum class Backend { torchscript, onnx };
std::string backend_name(Backend backend);  // "torchscript", "onnx": as in hub.json

// One entry of hub.json (docs/guide/networks.md has the keys), or the defaults for a file without
// one. What is not said is 0 or empty.
struct NetworkDescription {
  std::string name;
  std::filesystem::path file;  // as found: hub.json's folder / its "file"
  Backend backend = Backend::torchscript;
  Preprocessing preprocessing;
  std::string feature_output;    // method or output that gives the features; empty: the usual one
  std::string logits_output;     // the same for the source logits
  Index feature_dim = 0;         // 0: not said
  std::optional<Index> classes;  // of the source; 0: no source logits; none: not said
  Index params = 0;
  std::string licence;
  std::string notes;
  std::string sha256;     // of the file, lower case
  bool described = true;  // false: no hub.json speaks of it, all of the above are defaults
};

struct FailedNetwork {
  std::string name;
  std::string error;
};

struct NetworkList {
  std::vector<NetworkDescription> networks;  // by name
  std::vector<FailedNetwork> failed;         // entries of hub.json that say something impossible
  std::vector<std::string> notes;            // what was assumed, for people
};

// 224 pixels, divided by 255, mean and standard deviation of ImageNet, RGB: how most published
// networks were trained. `file` must end in .pt, .pts, .torchscript or .onnx.
NetworkDescription default_description(const std::filesystem::path& file);
bool is_network_file(const std::filesystem::path& file);

// The entries of one hub.json, in its order. Throws Error when the file cannot be read or is no
// array of objects; an entry that says something impossible goes to `failed` with file, entry and
// key named. The network files themselves are not looked at.
NetworkList read_hub_json(const std::filesystem::path& file);

// The networks behind what the user named: hubs (hub.json and the network files it does not
// mention) and single network files (described by a hub.json beside them, or by default). Other
// files are passed over. Throws Error for paths that do not exist and two networks of one name.
NetworkList find_networks(const std::vector<std::filesystem::path>& inputs);

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

// A network that can be opened. It is opened only when something has to be computed.
struct NetworkSource {
  std::string name;
  std::filesystem::path file;  // its weights: their digest is part of the cache's address
  Preprocessing preprocessing;
  Index classes = -1;  // of the source task; 0: it has none, -1: the network will say
  Index params = 0;    // 0: not known
  std::string recipe;  // which methods give what, where that is a choice: part of the address
  std::function<std::unique_ptr<Network>()> open;  // throws Error naming the file
  // For networks that are to be tuned, with the framework's threads; throws as well.
  std::function<std::unique_ptr<Trainer>(int threads)> train = {};
};

}  // namespace assay
