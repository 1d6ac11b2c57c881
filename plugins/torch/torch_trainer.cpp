#include "torch_trainer.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "torch_network.h"
#include "torch_program.h"

namespace assay::plugin {
namespace {

using torch::jit::Module;

void add_once(std::vector<TorchTrainer::NamedTensor>& list, const std::string& name,
              const at::Tensor& value) {
  const bool known = std::any_of(list.begin(), list.end(),
                                 [&](const auto& other) { return other.value.is_same(value); });
  if (!known) list.push_back({name, value});
}

std::vector<TorchTrainer::NamedTensor> parameters_of(const Module& module) {
  std::vector<TorchTrainer::NamedTensor> out;
  for (const auto& parameter : module.named_parameters()) {
    if (parameter.value.scalar_type() != at::kFloat) {
      throw std::runtime_error("its parameter '" + parameter.name + "' is " +
                               c10::toString(parameter.value.scalar_type()) +
                               "; only float32 networks can be trained");
    }
    add_once(out, parameter.name, parameter.value);
  }
  if (out.empty()) {
    throw std::runtime_error(
        "has no parameters to train; a frozen network keeps them as constants: save it without "
        "torch.jit.freeze");
  }
  return out;
}

at::Tensor images_of(const AssayPluginBatch& batch) {
  return at::from_blob(const_cast<float*>(batch.pixels),  // read only: from_blob has no const form
                       {batch.count, batch.channels, batch.height, batch.width}, at::kFloat);
}

void copy_out(const at::Tensor& from, float* to) {
  const at::Tensor values = from.detach().to(at::kFloat).contiguous();
  std::copy_n(values.data_ptr<float>(), values.numel(), to);
}

at::Tensor copied(const float* values, std::vector<int64_t> shape) {
  return at::from_blob(const_cast<float*>(values), shape, at::kFloat).clone();
}

}  // namespace

TorchTrainer::TorchTrainer(const AssayPluginRequest& request, int threads)
    : threads_(threads),
      module_(load_module(request.file)),
      method_(feature_method(module_, request)) {
  module_.eval();
  parameters_ = parameters_of(module_);
  for (NamedTensor& parameter : parameters_) parameter.value.requires_grad_(true);
  for (const auto& buffer : module_.named_buffers()) add_once(buffers_, buffer.name, buffer.value);
}

void TorchTrainer::get(int kind, float* values) const {
  for (const NamedTensor& tensor : tensors(kind)) {
    copy_out(tensor.value, values);
    values += tensor.value.numel();
  }
}

void TorchTrainer::set(int kind, const float* values) {
  const c10::NoGradGuard no_gradients;
  for (const NamedTensor& tensor : tensors(kind)) {
    tensor.value.copy_(at::from_blob(const_cast<float*>(values), tensor.value.sizes(), at::kFloat));
    values += tensor.value.numel();
  }
}

// The just-in-time compiler would change its program, and with it the last digits, after a few
// passes: a run that was resumed would not be the run it resumes. Operators run as written instead.
at::Tensor TorchTrainer::forward(const AssayPluginBatch& batch, int purpose) {
  const torch::jit::GraphOptimizerEnabledGuard as_written(false);
  const bool training = (purpose & ASSAY_FORWARD_TRAINING) != 0;
  const bool for_pixels = (purpose & ASSAY_FORWARD_FOR_PIXELS) != 0;
  const c10::AutoGradMode gradients(for_pixels || (purpose & ASSAY_FORWARD_FOR_PARAMETERS) != 0);
  use_threads(threads_);
  if (training != training_) module_.train(training);
  training_ = training;
  // The graph keeps the images until backward; the caller's memory is not for that long.
  images_ = images_of(batch).clone().requires_grad_(for_pixels);
  const at::Tensor values = module_.get_method(method_)({images_}).toTensor();
  if (values.dim() < 1 || values.size(0) != batch.count) {
    throw std::runtime_error("gave " + c10::str(values.sizes()) + " for " +
                             std::to_string(batch.count) + " images; expected a row per image");
  }
  features_ = values.reshape({batch.count, -1}).to(at::kFloat);
  return features_.detach().contiguous();
}

void TorchTrainer::backward(const float* feature_gradient, const AssayPluginGradients& gradients) {
  if (!features_.defined() || !features_.requires_grad())
    throw std::runtime_error("no forward pass was made for gradients");
  use_threads(threads_);
  std::vector<at::Tensor> inputs;
  if (gradients.parameters != nullptr)
    for (const NamedTensor& parameter : parameters_) inputs.push_back(parameter.value);
  if (gradients.pixels != nullptr) inputs.push_back(images_);
  const at::Tensor outer =
      at::from_blob(const_cast<float*>(feature_gradient), features_.sizes(), at::kFloat);
  const std::vector<at::Tensor> found =
      torch::autograd::grad({features_}, inputs, {outer}, /*retain_graph=*/false,
                            /*create_graph=*/false, /*allow_unused=*/true);
  features_.reset();
  float* to = gradients.parameters;
  for (std::size_t i = 0; to != nullptr && i < parameters_.size(); ++i) {
    const int64_t size = parameters_[i].value.numel();
    if (found[i].defined()) {
      copy_out(found[i], to);
    } else {
      std::fill_n(to, size, 0.0F);
    }
    if (gradients.took_part != nullptr) gradients.took_part[i] = found[i].defined() ? 1 : 0;
    to += size;
  }
  if (gradients.pixels == nullptr) return;
  if (!found.back().defined()) throw std::runtime_error("its features do not depend on the images");
  copy_out(found.back(), gradients.pixels);
}

std::string TorchTrainer::saved(const AssayPluginHead* head) {
  module_.train(false);
  training_ = false;
  Module out = module_;
  if (head != nullptr) {
    const at::Tensor weight = copied(head->weight, {head->outputs, head->features});
    out = with_head(module_, method_, weight, copied(head->bias, {head->outputs}));
  }
  std::ostringstream file;
  out.save(file);
  return file.str();
}

}  // namespace assay::plugin
