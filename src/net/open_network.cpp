#include "net/open_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/error.h"
#include "net/plugin_loader.h"

namespace assay {
namespace {

using ErrorText = std::array<char, 2048>;

// Takes what forward() yields; the plug-in's memory is valid during the call only.
struct Received {
  Index count;
  std::vector<std::vector<float>> values;

  static void take(void* context, std::int64_t position, const float* values, std::int64_t dim) {
    auto& self = *static_cast<Received*>(context);
    self.values[static_cast<std::size_t>(position)].assign(values, values + self.count * dim);
  }
};

class PluginNetwork : public Network {
 public:
  explicit PluginNetwork(const NetworkDescription& description)
      : plugin_(load_plugin(description.backend)), file_(description.file.string()) {
    const AssayPluginRequest request = {
        .file = file_.c_str(),
        .feature_output = description.feature_output.c_str(),
        .logits_output = description.logits_output.c_str(),
        .wants_logits = description.classes.value_or(1) > 0 ? 1 : 0,
    };
    ErrorText error = {};
    network_ = plugin_.open(&request, error.data(), error.size());
    if (network_ == nullptr) {
      fail_input(fmt::format("{}: cannot be opened as {}: {}", file_,
                             backend_name(description.backend), error.data()));
    }
    for (std::int64_t i = 0; i < plugin_.output_count(network_); ++i)
      outputs_.push_back({plugin_.output_name(network_, i), plugin_.output_dim(network_, i)});
  }

  ~PluginNetwork() override { plugin_.close(network_); }
  PluginNetwork(const PluginNetwork&) = delete;
  PluginNetwork& operator=(const PluginNetwork&) = delete;
  PluginNetwork(PluginNetwork&&) = delete;
  PluginNetwork& operator=(PluginNetwork&&) = delete;

  std::vector<NetworkOutput> outputs() const override { return outputs_; }

  std::vector<std::vector<float>> forward(const ImageBatch& batch,
                                          std::span<const std::string> wanted) override {
    std::vector<std::int64_t> numbers;
    for (const std::string& name : wanted) numbers.push_back(number_of(name));
    const AssayPluginBatch images = {batch.pixels, batch.count, batch.channels, batch.height,
                                     batch.width};
    Received received{batch.count, std::vector<std::vector<float>>(wanted.size())};
    ErrorText error = {};
    const std::int32_t failed = plugin_.forward(
        network_, &images, numbers.data(), static_cast<std::int64_t>(numbers.size()),
        Received::take, &received, error.data(), error.size());
    if (failed != 0) {
      fail_input(fmt::format("{}: failed on images of {} x {} x {}: {}", file_, batch.channels,
                             batch.height, batch.width, error.data()));
    }
    return std::move(received.values);
  }

 private:
  std::int64_t number_of(const std::string& name) const {
    const auto at = std::find_if(outputs_.begin(), outputs_.end(),
                                 [&](const NetworkOutput& output) { return output.name == name; });
    if (at != outputs_.end()) return at - outputs_.begin();
    std::string known;
    for (const NetworkOutput& output : outputs_) known += (known.empty() ? "" : ", ") + output.name;
    throw Error(ErrorCode::unknown,
                fmt::format("{}: has no output '{}'; it has {}", file_, name, known));
  }

  const AssayPlugin& plugin_;
  std::string file_;
  void* network_ = nullptr;
  std::vector<NetworkOutput> outputs_;
};

}  // namespace

std::unique_ptr<Network> open_network(const NetworkDescription& description) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(description.file, unreadable))
    throw Error(ErrorCode::io, fmt::format("{}: no such file", description.file.string()));
  return std::make_unique<PluginNetwork>(description);
}

}  // namespace assay
