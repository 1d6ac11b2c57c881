#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace assay
