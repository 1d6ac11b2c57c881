#include <fmt/format.h>

#include <array>
#include <cassert>
#include <numeric>

#include "assay/error.h"
#include "assay/network.h"
#include "net/plugin_loader.h"

namespace assay {
namespace {

using TrainerError = std::array<char, 2048>;

int kind_number(StateKind kind) {
  return kind == StateKind::parameters ? ASSAY_PARAMETERS : ASSAY_BUFFERS;
}

int purpose_of(Pass pass) {
  switch (pass) {
    case Pass::training:
      return ASSAY_FORWARD_TRAINING + ASSAY_FORWARD_FOR_PARAMETERS;
    case Pass::attack:
      return ASSAY_FORWARD_FOR_PIXELS;
    case Pass::evaluation:
      break;
  }
  return 0;
}

struct ReceivedFeatures {
  Index count;
  std::vector<float> values;

  static void take(void* context, std::int64_t /*output*/, const float* values, std::int64_t dim) {
    auto& self = *static_cast<ReceivedFeatures*>(context);
    self.values.assign(values, values + self.count * dim);
  }
};

void append(void* context, const char* bytes, std::size_t size) {
  static_cast<std::string*>(context)->append(bytes, size);
}

class PluginTrainer : public Trainer {
 public:
  PluginTrainer(const AssayPluginTrainer& plugin, const NetworkDescription& description,
                int threads)
      : plugin_(plugin), file_(description.file.string()) {
    const AssayPluginRequest request = {
        .file = file_.c_str(),
        .feature_output = description.feature_output.c_str(),
        .logits_output = nullptr,
        .wants_logits = 0,
    };
    TrainerError error = {};
    trainer_ = plugin_.open(&request, threads, error.data(), error.size());
    if (trainer_ == nullptr)
      fail_input(fmt::format("{}: cannot be trained: {}", file_, error.data()));
    for (const StateKind kind : {StateKind::parameters, StateKind::buffers}) {
      const int number = kind_number(kind);
      for (std::int64_t i = 0; i < plugin_.tensor_count(trainer_, number); ++i) {
        list(kind).push_back(
            {plugin_.tensor_name(trainer_, number, i), plugin_.tensor_size(trainer_, number, i)});
      }
    }
  }

  ~PluginTrainer() override { plugin_.close(trainer_); }
  PluginTrainer(const PluginTrainer&) = delete;
  PluginTrainer& operator=(const PluginTrainer&) = delete;
  PluginTrainer(PluginTrainer&&) = delete;
  PluginTrainer& operator=(PluginTrainer&&) = delete;

  const std::vector<StateTensor>& tensors(StateKind kind) const override {
    return kind == StateKind::parameters ? parameters_ : buffers_;
  }

  std::vector<float> state(StateKind kind) const override {
    std::vector<float> values(size_of(kind));
    TrainerError error = {};
    require(plugin_.get(trainer_, kind_number(kind), values.data(), error.data(), error.size()),
            "its state cannot be read", error);
    return values;
  }

  void set_state(StateKind kind, std::span<const float> values) override {
    assert(values.size() == size_of(kind));
    TrainerError error = {};
    require(plugin_.set(trainer_, kind_number(kind), values.data(), error.data(), error.size()),
            "its state cannot be set", error);
  }

  std::vector<float> forward(const ImageBatch& batch, Pass pass) override {
    const AssayPluginBatch images = {batch.pixels, batch.count, batch.channels, batch.height,
                                     batch.width};
    pixels_ = static_cast<std::size_t>(batch.count * batch.channels * batch.height * batch.width);
    ReceivedFeatures received{batch.count, {}};
    TrainerError error = {};
    require(
        plugin_.forward(trainer_, &images, purpose_of(pass), ReceivedFeatures::take, &received,
                        error.data(), error.size()),
        fmt::format("failed on images of {} x {} x {}", batch.channels, batch.height, batch.width),
        error);
    return std::move(received.values);
  }

  ParameterGradient backward(std::span<const float> features) override {
    ParameterGradient out;
    out.values.resize(size_of(StateKind::parameters));
    std::vector<std::int8_t> took_part(parameters_.size());
    run_backward(features, {out.values.data(), took_part.data(), nullptr});
    out.took_part.assign(took_part.begin(), took_part.end());
    return out;
  }

  std::vector<float> backward_to_pixels(std::span<const float> features) override {
    std::vector<float> out(pixels_);
    run_backward(features, {nullptr, nullptr, out.data()});
    return out;
  }

  std::string saved(const HeadView& head) override {
    const auto outputs = static_cast<std::int64_t>(head.bias.size());
    const AssayPluginHead given = {head.weight.data(), head.bias.data(), outputs,
                                   static_cast<std::int64_t>(head.weight.size()) / outputs};
    std::string file;
    TrainerError error = {};
    require(plugin_.save(trainer_, &given, append, &file, error.data(), error.size()),
            "cannot be saved", error);
    return file;
  }

 private:
  std::vector<StateTensor>& list(StateKind kind) {
    return kind == StateKind::parameters ? parameters_ : buffers_;
  }

  std::size_t size_of(StateKind kind) const {
    const std::vector<StateTensor>& all = tensors(kind);
    return static_cast<std::size_t>(
        std::accumulate(all.begin(), all.end(), Index{0},
                        [](Index sum, const StateTensor& tensor) { return sum + tensor.size; }));
  }

  void run_backward(std::span<const float> features, const AssayPluginGradients& gradients) {
    TrainerError error = {};
    require(plugin_.backward(trainer_, features.data(), &gradients, error.data(), error.size()),
            "no gradient", error);
  }

  void require(std::int32_t failed, const std::string& what, const TrainerError& error) const {
    if (failed != 0) fail_input(fmt::format("{}: {}: {}", file_, what, error.data()));
  }

  const AssayPluginTrainer& plugin_;
  std::string file_;
  void* trainer_ = nullptr;
  std::vector<StateTensor> parameters_;
  std::vector<StateTensor> buffers_;
  std::size_t pixels_ = 0;  // of the latest batch
};

}  // namespace

std::unique_ptr<Trainer> open_trainer(const NetworkDescription& description, int threads) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(description.file, unreadable))
    throw Error(ErrorCode::io, fmt::format("{}: no such file", description.file.string()));
  const AssayPlugin& plugin = load_plugin(description.backend);
  if (plugin.trainer == nullptr) {
    fail_input(
        fmt::format("{}: {} networks cannot be trained; export it as TorchScript "
                    "(tools/export_model.py)",
                    description.file.string(), backend_name(description.backend)));
  }
  return std::make_unique<PluginTrainer>(*plugin.trainer, description, threads);
}

}  // namespace assay
