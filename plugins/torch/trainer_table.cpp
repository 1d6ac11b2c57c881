#include "trainer_table.h"

#include "../plugin_guard.h"
#include "torch_network.h"
#include "torch_trainer.h"

namespace assay::plugin {
namespace {

const TorchTrainer& trainer_of(const void* trainer) {
  return *static_cast<const TorchTrainer*>(trainer);
}
TorchTrainer& trainer_of(void* trainer) { return *static_cast<TorchTrainer*>(trainer); }

// 0 when `action` ends well, 1 with a message when it throws.
template <typename Action>
int32_t attempted(char* error, size_t error_size, const Action& action) {
  return guarded<int32_t>(1, error, error_size, plain_message, [&] {
    action();
    return 0;
  });
}

void* open_trainer(const AssayPluginRequest* request, int32_t threads, char* error,
                   size_t error_size) {
  return guarded<void*>(nullptr, error, error_size, plain_message,
                        [&] { return new TorchTrainer(*request, threads); });
}

int64_t tensor_count(const void* trainer, int32_t kind) {
  return static_cast<int64_t>(trainer_of(trainer).tensors(kind).size());
}

const char* tensor_name(const void* trainer, int32_t kind, int64_t tensor) {
  return trainer_of(trainer).tensors(kind)[static_cast<std::size_t>(tensor)].name.c_str();
}

int64_t tensor_size(const void* trainer, int32_t kind, int64_t tensor) {
  return trainer_of(trainer).tensors(kind)[static_cast<std::size_t>(tensor)].value.numel();
}

int32_t get_state(const void* trainer, int32_t kind, float* values, char* error,
                  size_t error_size) {
  return attempted(error, error_size, [&] { trainer_of(trainer).get(kind, values); });
}

int32_t set_state(void* trainer, int32_t kind, const float* values, char* error,
                  size_t error_size) {
  return attempted(error, error_size, [&] { trainer_of(trainer).set(kind, values); });
}

int32_t forward_pass(void* trainer, const AssayPluginBatch* batch, int32_t purpose,
                     AssayPluginReceive receive, void* context, char* error, size_t error_size) {
  return attempted(error, error_size, [&] {
    const at::Tensor features = trainer_of(trainer).forward(*batch, purpose);
    receive(context, 0, features.data_ptr<float>(), features.size(1));
  });
}

int32_t backward_pass(void* trainer, const float* features, const AssayPluginGradients* gradients,
                      char* error, size_t error_size) {
  return attempted(error, error_size, [&] { trainer_of(trainer).backward(features, *gradients); });
}

int32_t save_network(void* trainer, const AssayPluginHead* head, AssayPluginTake take,
                     void* context, char* error, size_t error_size) {
  return attempted(error, error_size, [&] {
    const std::string file = trainer_of(trainer).saved(head);
    take(context, file.data(), file.size());
  });
}

void close_trainer(void* trainer) { delete static_cast<TorchTrainer*>(trainer); }

}  // namespace

constexpr AssayPluginTrainer kTrainerTable = {
    open_trainer, tensor_count, tensor_name,   tensor_size,  get_state,
    set_state,    forward_pass, backward_pass, save_network, close_trainer};

}  // namespace assay::plugin
