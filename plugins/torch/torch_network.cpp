#include "torch_network.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "resize_watch.h"
#include "torch_program.h"

namespace assay::plugin {
namespace {

using torch::jit::Module;

bool is_tensor(const c10::TypePtr& type) { return type->isSubtypeOf(*c10::TensorType::get()); }

// f(self, images) -> Tensor; further arguments need defaults.
bool maps_images_to_tensor(const torch::jit::Method& method) {
  const c10::FunctionSchema& schema = method.function().getSchema();
  const std::vector<c10::Argument>& arguments = schema.arguments();
  if (arguments.size() < 2 || !is_tensor(arguments[1].type())) return false;
  const bool rest_has_defaults = std::all_of(
      arguments.begin() + 2, arguments.end(),
      [](const c10::Argument& argument) { return argument.default_value().has_value(); });
  return rest_has_defaults && schema.returns().size() == 1 && is_tensor(schema.returns()[0].type());
}

std::string or_default(const char* name, const char* usual) {
  return name == nullptr || *name == '\0' ? usual : name;
}

void require_method(const Module& module, const std::string& name) {
  const auto method = module.find_method(name);
  if (!method) throw std::runtime_error("has no method '" + name + "'");
  if (!maps_images_to_tensor(*method)) {
    throw std::runtime_error("its method '" + name +
                             "' does not take one tensor of images and return one tensor; wrap the "
                             "network (tools/export_model.py does)");
  }
}

// "head" takes features by the convention of hubs, not images; "_name" is private.
bool is_further_layer(const std::string& name) { return name != "head" && name.front() != '_'; }

std::vector<TorchNetwork::Output> find_outputs(const Module& module,
                                               const AssayPluginRequest& request) {
  const std::string features = feature_method(module, request);
  std::vector<TorchNetwork::Output> outputs = {{"features", features}};
  const std::string logits = or_default(request.logits_output, "logits");
  const bool logits_named = request.logits_output != nullptr && *request.logits_output != '\0';
  if (request.wants_logits != 0 && (logits_named || module.find_method(logits))) {
    require_method(module, logits);
    outputs.push_back({"logits", logits});
  }
  for (const torch::jit::Method& method : module.get_methods()) {
    const std::string& name = method.name();
    const bool known = name == features || name == logits || name == "features" || name == "logits";
    if (!known && is_further_layer(name) && maps_images_to_tensor(method))
      outputs.push_back({name, name});
  }
  return outputs;
}

std::vector<float> numbers_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.to(at::kCPU, at::kFloat).contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

// Each output but for the rounding of another order of sums: the difference is small beside it.
bool agree(const c10::IValue& found, const c10::IValue& right) {
  constexpr double share = 1e-3;
  const auto& left = found.toTupleRef().elements();
  const auto& other = right.toTupleRef().elements();
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::vector<float> x = numbers_of(left[i].toTensor());
    const std::vector<float> y = numbers_of(other[i].toTensor());
    if (x.size() != y.size()) return false;
    double apart = 0.0;
    double size = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      apart += std::pow(static_cast<double>(x[k]) - y[k], 2.0);
      size += std::pow(static_cast<double>(y[k]), 2.0);
    }
    if (!(apart <= share * share * size)) return false;
  }
  return true;
}

}  // namespace

// Also said of the other things a .pt may be: a state_dict, a pickled module.
Module load_module(const char* file) {
  try {
    return torch::jit::load(file, c10::Device(c10::DeviceType::CPU));
  } catch (const std::exception& thrown) {
    throw std::runtime_error("not a TorchScript file (" + plain_message(thrown) +
                             "); save the network with torch.jit.save, or use "
                             "tools/export_model.py");
  }
}

std::string feature_method(const Module& module, const AssayPluginRequest& request) {
  std::string name = or_default(request.feature_output, "forward");
  require_method(module, name);
  return name;
}

void use_threads(int count) {
  thread_local int current = 0;
  if (count != current) at::set_num_threads(count);
  current = count;
}

TorchNetwork::TorchNetwork(const AssayPluginRequest& request) {
  use_threads(1);
  module_ = load_module(request.file);
  module_.eval();
  outputs_ = find_outputs(module_, request);
}

// Where the fast form fails, or gives other numbers than the plain one, the plain one runs; if that
// fails too, its message is the clearer one.
Module TorchNetwork::program_for(const std::vector<int64_t>& wanted, const at::Tensor& images) {
  const std::lock_guard lock(mutex_);
  const Key key = {wanted, images.size(2), images.size(3)};
  if (const auto known = programs_.find(key); known != programs_.end()) return known->second;
  std::vector<std::string> methods;
  for (const int64_t output : wanted)
    methods.push_back(outputs_.at(static_cast<std::size_t>(output)).method);
  Module program = tuple_of_methods(module_, methods);
  const c10::IValue right = program.forward({images});
  try {
    Module fast = made_fast(program, images);
    const ResizeWatch watch;
    const c10::IValue found = fast.forward({images});
    if (!watch.seen() && agree(found, right)) program = fast;
  } catch (const std::exception&) {  // the plain one it is
  }
  return programs_.emplace(key, program).first->second;
}

std::vector<at::Tensor> TorchNetwork::forward(const AssayPluginBatch& batch,
                                              const std::vector<int64_t>& wanted) {
  use_threads(1);
  const c10::InferenceMode no_gradients;
  const at::Tensor images =
      at::from_blob(const_cast<float*>(batch.pixels),  // read only: from_blob has no const form
                    {batch.count, batch.channels, batch.height, batch.width}, at::kFloat);
  const c10::IValue results = program_for(wanted, images).forward({images});
  std::vector<at::Tensor> out;
  for (const c10::IValue& result : results.toTupleRef().elements()) {
    const at::Tensor& values = result.toTensor();
    if (values.dim() < 1 || values.size(0) != batch.count) {
      throw std::runtime_error("gave " + c10::str(values.sizes()) + " for " +
                               std::to_string(batch.count) + " images; expected a row per image");
    }
    out.push_back(values.reshape({batch.count, -1}).to(at::kCPU, at::kFloat).contiguous());
  }
  return out;
}

// TorchScript wraps the reason into a listing of the script; it follows the last "RuntimeError: ".
std::string plain_message(const std::exception& thrown) {
  const auto* const error = dynamic_cast<const c10::Error*>(&thrown);
  std::string text = error != nullptr ? error->what_without_backtrace() : thrown.what();
  const std::string mark = "RuntimeError: ";
  if (const std::size_t at = text.rfind(mark); at != std::string::npos)
    text = text.substr(at + mark.size());
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end);
}

}  // namespace assay::plugin
