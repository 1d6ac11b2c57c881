#include "extract/check_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/error.h"
#include "core/clock.h"
#include "io/sha256.h"
#include "net/open_network.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr Index kChannels = 3;

void check_file(CheckedNetwork& network) {
  const NetworkDescription& description = network.description;
  std::error_code unreadable;
  if (!fs::is_regular_file(description.file, unreadable))
    throw Error(ErrorCode::io, fmt::format("{}: no such file", description.file.string()));
  network.megabytes = static_cast<double>(fs::file_size(description.file)) / 1e6;
  if (description.sha256.empty()) return;
  const std::string found = sha256_of_file(description.file);
  if (found != description.sha256) {
    fail_input(fmt::format(
        "{}: SHA-256 is {}..., hub.json says {}...; the file was changed or "
        "damaged: fetch it again",
        description.file.string(), found.substr(0, 12), description.sha256.substr(0, 12)));
  }
}

// Mid-grey after the network's own preprocessing.
std::vector<float> grey_image(const Preprocessing& preprocessing) {
  constexpr double grey = 127.5;
  const Index area = preprocessing.input_size * preprocessing.input_size;
  std::vector<float> pixels;
  for (std::size_t c = 0; c < preprocessing.mean.size(); ++c) {
    const double value =
        (grey / preprocessing.input_scale - preprocessing.mean[c]) / preprocessing.std[c];
    pixels.insert(pixels.end(), static_cast<std::size_t>(area), static_cast<float>(value));
  }
  return pixels;
}

void require_as_described(const CheckedNetwork& network) {
  const NetworkDescription& said = network.description;
  if (said.feature_dim > 0 && *network.feature_dim != said.feature_dim) {
    fail_input(fmt::format("{}: gives {} features, hub.json says 'feature_dim' = {}",
                           said.file.string(), *network.feature_dim, said.feature_dim));
  }
  if (said.classes && *network.classes != *said.classes) {
    fail_input(
        network.classes == 0
            ? fmt::format("{}: has no source logits, hub.json says 'classes' = {}; name them by "
                          "'logits_output'",
                          said.file.string(), *said.classes)
            : fmt::format("{}: gives {} logits, hub.json says 'classes' = {}", said.file.string(),
                          *network.classes, *said.classes));
  }
}

void require_finite(const CheckedNetwork& network, const std::vector<float>& values) {
  if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
    fail_input(fmt::format("{}: gives infinite or undefined values for a grey image",
                           network.description.file.string()));
}

// The best of a few: the first passes also compile.
double seconds_per_image(Network& network, const ImageBatch& batch) {
  constexpr int passes = 4;
  const std::vector<std::string> features = {"features"};
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < passes; ++pass) {
    const double started = monotonic_seconds();
    network.forward(batch, features);
    best = std::min(best, monotonic_seconds() - started);
  }
  return best;
}

void run_once(CheckedNetwork& network) {
  const std::unique_ptr<Network> opened = open_network(network.description);
  std::vector<std::string> wanted;
  for (const NetworkOutput& output : opened->outputs()) {
    if (output.name == "features" || output.name == "logits") {
      wanted.push_back(output.name);
    } else {
      network.layers.push_back(output.name);
    }
  }
  const Preprocessing& preprocessing = network.description.preprocessing;
  const std::vector<float> pixels = grey_image(preprocessing);
  const ImageBatch batch = {pixels.data(), 1, kChannels, preprocessing.input_size,
                            preprocessing.input_size};
  const std::vector<std::vector<float>> values = opened->forward(batch, wanted);
  network.feature_dim = static_cast<Index>(values[0].size());
  network.classes = values.size() > 1 ? static_cast<Index>(values[1].size()) : 0;
  for (const std::vector<float>& output : values) require_finite(network, output);
  require_as_described(network);
  network.seconds = seconds_per_image(*opened, batch);
}

// Said once, with every file: whoever looks over a hub before using it must learn it here.
void note_programs(HubCheck& check) {
  std::string files;
  for (const CheckedNetwork& network : check.networks) {
    if (network.description.backend == Backend::torchscript)
      files += (files.empty() ? "" : ", ") + network.description.file.string();
  }
  if (files.empty()) return;
  check.notes.push_back(fmt::format(
      "TorchScript files are programs that run with your rights, this check included; open only "
      "those you trust: {}",
      files));
}

void note_missing_plugins(HubCheck& check) {
  for (const Backend backend : {Backend::torchscript, Backend::onnx}) {
    const bool skipped = std::any_of(
        check.networks.begin(), check.networks.end(), [&](const CheckedNetwork& network) {
          return network.skipped && network.description.backend == backend;
        });
    if (skipped) check.notes.push_back(missing_plugin_message(backend));
  }
}

CheckedNetwork checked(const NetworkDescription& description) {
  CheckedNetwork network;
  network.description = description;
  try {
    check_file(network);
    network.skipped = !find_plugin(description.backend);
    if (!network.skipped) run_once(network);
  } catch (const Error& error) {
    network.error = error.what();
  }
  return network;
}

}  // namespace

bool HubCheck::all_good() const {
  return failed.empty() &&
         std::all_of(networks.begin(), networks.end(), [](const CheckedNetwork& network) {
           return network.error.empty() && !network.skipped;
         });
}

bool HubCheck::any_usable() const {
  return std::any_of(networks.begin(), networks.end(), [](const CheckedNetwork& network) {
    return network.error.empty() && !network.skipped;
  });
}

HubCheck check_hub(const std::vector<fs::path>& inputs, const ProgressCallback& progress) {
  const NetworkList list = find_networks(inputs);
  if (list.networks.empty() && list.failed.empty()) {
    fail_input(fmt::format("{}: no networks found; expected hub.json, NAME.pt or NAME.onnx",
                           inputs.empty() ? "hub" : inputs.front().string()));
  }
  HubCheck check;
  check.failed = list.failed;
  check.notes = list.notes;
  for (const NetworkDescription& description : list.networks) {
    if (progress) {
      progress(
          static_cast<double>(check.networks.size()) / static_cast<double>(list.networks.size()),
          description.name);
    }
    check.networks.push_back(checked(description));
  }
  note_programs(check);
  note_missing_plugins(check);
  return check;
}

}  // namespace assay
