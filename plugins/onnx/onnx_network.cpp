#include "onnx_network.h"

#include <algorithm>
#include <stdexcept>

namespace assay::plugin {
namespace {

// Null when the library is older than the header; `checked_api` says so.
const OrtApi* api() {
  static const OrtApi* const found = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  return found;
}

const OrtApi& checked_api() {
  if (api() == nullptr) {
    throw std::runtime_error(
        "ONNX Runtime " + onnxruntime_version() +
        " is older than the header the plug-in was built with; build it again");
  }
  return *api();
}

void check(OrtStatus* status) {
  if (status == nullptr) return;
  const std::string message = api()->GetErrorMessage(status);
  api()->ReleaseStatus(status);
  throw std::runtime_error(message);
}

// One for the whole process; it lives as long.
OrtEnv* environment() {
  static OrtEnv* const shared = [] {
    OrtEnv* made = nullptr;
    check(checked_api().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "assay", &made));
    check(api()->DisableTelemetryEvents(made));
    return made;
  }();
  return shared;
}

// Each run stays on the thread that calls it: Assay runs several at once instead.
OrtOwned<OrtSessionOptions> one_thread_per_run() {
  OrtSessionOptions* raw = nullptr;
  check(checked_api().CreateSessionOptions(&raw));
  OrtOwned<OrtSessionOptions> options(raw);
  check(api()->SetIntraOpNumThreads(raw, 1));
  check(api()->SetInterOpNumThreads(raw, 1));
  check(api()->SetSessionExecutionMode(raw, ORT_SEQUENTIAL));
  check(api()->SetSessionGraphOptimizationLevel(raw, ORT_ENABLE_ALL));
  return options;
}

struct TensorShape {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> dims;  // -1: left open
};

TensorShape shape_from(const OrtTensorTypeAndShapeInfo* info) {
  TensorShape out;
  check(api()->GetTensorElementType(info, &out.type));
  std::size_t rank = 0;
  check(api()->GetDimensionsCount(info, &rank));
  out.dims.resize(rank);
  check(api()->GetDimensions(info, out.dims.data(), rank));
  return out;
}

TensorShape shape_of(OrtTypeInfo* raw) {
  const OrtOwned<OrtTypeInfo> owner(raw);
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  check(api()->CastTypeInfoToTensorInfo(raw, &info));
  return info == nullptr ? TensorShape{} : shape_from(info);  // null: a sequence or a map
}

std::string taken(char* name) {
  std::string out = name;
  OrtAllocator* allocator = nullptr;
  check(api()->GetAllocatorWithDefaultOptions(&allocator));
  check(api()->AllocatorFree(allocator, name));
  return out;
}

OrtAllocator* default_allocator() {
  OrtAllocator* allocator = nullptr;
  check(api()->GetAllocatorWithDefaultOptions(&allocator));
  return allocator;
}

int64_t numbers_per_image(const std::vector<int64_t>& dims) {
  int64_t product = dims.empty() ? 0 : 1;
  for (std::size_t i = 1; i < dims.size(); ++i) product *= std::max<int64_t>(dims[i], 0);
  return product;
}

using Outputs = std::vector<OnnxNetwork::Output>;

std::string names_of(const Outputs& outputs) {
  std::string names;
  for (const OnnxNetwork::Output& output : outputs)
    names += (names.empty() ? "" : ", ") + output.graph_name;
  return names;
}

bool given(const char* name) { return name != nullptr && *name != '\0'; }

Outputs::iterator find(Outputs& outputs, const std::string& name) {
  return std::find_if(outputs.begin(), outputs.end(),
                      [&](const OnnxNetwork::Output& output) { return output.graph_name == name; });
}

// The only output is the features whatever its name; of several one must be called so.
Outputs::iterator feature_output(Outputs& outputs, const AssayPluginRequest& request) {
  if (!given(request.feature_output) && outputs.size() == 1) return outputs.begin();
  const std::string name = given(request.feature_output) ? request.feature_output : "features";
  const auto at = find(outputs, name);
  if (at == outputs.end()) {
    throw std::runtime_error("has no output '" + name + "' but " + names_of(outputs) +
                             "; name the features by 'feature_output' in hub.json");
  }
  return at;
}

// "features" first, then "logits" where wanted and there, then the rest under their own names.
Outputs ordered(Outputs outputs, const AssayPluginRequest& request) {
  Outputs out;
  const auto take = [&](Outputs::iterator at, const char* name) {
    out.push_back({name, at->graph_name, at->dim});
    outputs.erase(at);
  };
  take(feature_output(outputs, request), "features");
  const std::string logits = given(request.logits_output) ? request.logits_output : "logits";
  const auto at = find(outputs, logits);
  if (request.wants_logits != 0 && at == outputs.end() && given(request.logits_output))
    throw std::runtime_error("has no output '" + logits + "' but " + names_of(outputs));
  if (at != outputs.end() && request.wants_logits != 0) {
    take(at, "logits");
  } else if (at != outputs.end()) {
    outputs.erase(at);
  }
  for (const OnnxNetwork::Output& output : outputs) {
    if (output.name != "features" && output.name != "logits") out.push_back(output);
  }
  return out;
}

}  // namespace

void OrtDeleter::operator()(OrtSession* session) const { api()->ReleaseSession(session); }
void OrtDeleter::operator()(OrtSessionOptions* options) const {
  api()->ReleaseSessionOptions(options);
}
void OrtDeleter::operator()(OrtMemoryInfo* memory) const { api()->ReleaseMemoryInfo(memory); }
void OrtDeleter::operator()(OrtTypeInfo* info) const { api()->ReleaseTypeInfo(info); }
void OrtDeleter::operator()(OrtTensorTypeAndShapeInfo* info) const {
  api()->ReleaseTensorTypeAndShapeInfo(info);
}
void OrtDeleter::operator()(OrtValue* value) const { api()->ReleaseValue(value); }

std::string onnxruntime_version() { return OrtGetApiBase()->GetVersionString(); }

OnnxNetwork::OnnxNetwork(const AssayPluginRequest& request) {
  const OrtOwned<OrtSessionOptions> options = one_thread_per_run();
  OrtSession* session = nullptr;
  check(api()->CreateSession(environment(), request.file, options.get(), &session));
  session_.reset(session);
  OrtMemoryInfo* memory = nullptr;
  check(api()->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  memory_.reset(memory);
  read_input();
  outputs_ = ordered(graph_outputs(), request);
}

void OnnxNetwork::read_input() {
  std::size_t count = 0;
  check(api()->SessionGetInputCount(session_.get(), &count));
  if (count != 1) {
    throw std::runtime_error("takes " + std::to_string(count) +
                             " inputs; expected one, the images");
  }
  char* name = nullptr;
  check(api()->SessionGetInputName(session_.get(), 0, default_allocator(), &name));
  input_ = taken(name);
  OrtTypeInfo* info = nullptr;
  check(api()->SessionGetInputTypeInfo(session_.get(), 0, &info));
  const TensorShape shape = shape_of(info);
  if (shape.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT || shape.dims.size() != 4)
    throw std::runtime_error("its input is not a float32 tensor of images, N x 3 x H x W");
  fixed_batch_ = std::max<int64_t>(shape.dims[0], 0);
}

Outputs OnnxNetwork::graph_outputs() const {
  std::size_t count = 0;
  check(api()->SessionGetOutputCount(session_.get(), &count));
  Outputs outputs;
  for (std::size_t i = 0; i < count; ++i) {
    OrtTypeInfo* info = nullptr;
    check(api()->SessionGetOutputTypeInfo(session_.get(), i, &info));
    const TensorShape shape = shape_of(info);
    char* raw = nullptr;
    check(api()->SessionGetOutputName(session_.get(), i, default_allocator(), &raw));
    const std::string name = taken(raw);
    if (shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
      outputs.push_back({name, name, numbers_per_image(shape.dims)});
  }
  if (outputs.empty()) throw std::runtime_error("has no output of type float32");
  return outputs;
}

void OnnxNetwork::append(const AssayPluginBatch& part, const std::vector<const char*>& names,
                         std::vector<std::vector<float>>& values) const {
  const std::vector<int64_t> shape = {part.count, part.channels, part.height, part.width};
  const int64_t size = part.count * part.channels * part.height * part.width;
  OrtValue* raw_input = nullptr;
  check(api()->CreateTensorWithDataAsOrtValue(
      memory_.get(), const_cast<float*>(part.pixels),  // only read: the C API has no const form
      static_cast<std::size_t>(size) * sizeof(float), shape.data(), shape.size(),
      ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &raw_input));
  const OrtOwned<OrtValue> input(raw_input);
  std::vector<OrtValue*> raw(names.size(), nullptr);
  const char* const input_name = input_.c_str();
  const OrtValue* const inputs = input.get();
  check(api()->Run(session_.get(), nullptr, &input_name, &inputs, 1, names.data(), names.size(),
                   raw.data()));
  const std::vector<OrtOwned<OrtValue>> results(raw.begin(), raw.end());
  for (std::size_t i = 0; i < results.size(); ++i) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    check(api()->GetTensorTypeAndShape(results[i].get(), &info));
    const OrtOwned<OrtTensorTypeAndShapeInfo> owner(info);
    const TensorShape found = shape_from(info);
    if (found.dims.empty() || found.dims[0] != part.count)
      throw std::runtime_error(std::string("'") + names[i] + "' gave no row per image");
    float* data = nullptr;
    check(api()->GetTensorMutableData(results[i].get(), reinterpret_cast<void**>(&data)));
    values[i].insert(values[i].end(), data, data + part.count * numbers_per_image(found.dims));
  }
}

std::vector<std::vector<float>> OnnxNetwork::forward(const AssayPluginBatch& batch,
                                                     const std::vector<int64_t>& wanted) const {
  std::vector<const char*> names;
  for (const int64_t output : wanted)
    names.push_back(outputs_.at(static_cast<std::size_t>(output)).graph_name.c_str());
  const int64_t step = fixed_batch_ > 0 ? fixed_batch_ : batch.count;
  if (step == 0 || batch.count % step != 0) {
    throw std::runtime_error("was exported for batches of exactly " + std::to_string(step) +
                             " images, not " + std::to_string(batch.count) +
                             "; export it with a free batch size");
  }
  std::vector<std::vector<float>> values(wanted.size());
  const int64_t image = batch.channels * batch.height * batch.width;
  for (int64_t first = 0; first < batch.count; first += step) {
    append({batch.pixels + first * image, step, batch.channels, batch.height, batch.width}, names,
           values);
  }
  return values;
}

}  // namespace assay::plugin
