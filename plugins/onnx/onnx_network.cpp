#include "onnx_network.h"

#include <algorithm>
#include <stdexcept>

namespace assay::plugin {
namespace {

struct TensorShape {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> dims;            // -1: left open
  std::vector<std::string> open_names;  // what the graph calls those, "" for the others
};

TensorShape shape_from(const OrtTensorTypeAndShapeInfo* info) {
  TensorShape out;
  check(ort().GetTensorElementType(info, &out.type));
  std::size_t rank = 0;
  check(ort().GetDimensionsCount(info, &rank));
  out.dims.resize(rank);
  check(ort().GetDimensions(info, out.dims.data(), rank));
  std::vector<const char*> names(rank, "");
  check(ort().GetSymbolicDimensions(info, names.data(), rank));
  out.open_names.assign(names.begin(), names.end());
  return out;
}

TensorShape shape_of(OrtTypeInfo* raw) {
  const OrtOwned<OrtTypeInfo> owner(raw);
  const OrtTensorTypeAndShapeInfo* info = nullptr;
  check(ort().CastTypeInfoToTensorInfo(raw, &info));
  return info == nullptr ? TensorShape{} : shape_from(info);  // null: a sequence or a map
}

std::string taken(char* name) {
  std::string out = name;
  OrtAllocator* allocator = nullptr;
  check(ort().GetAllocatorWithDefaultOptions(&allocator));
  check(ort().AllocatorFree(allocator, name));
  return out;
}

OrtAllocator* default_allocator() {
  OrtAllocator* allocator = nullptr;
  check(ort().GetAllocatorWithDefaultOptions(&allocator));
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

// A batch of one size only lets ONNX Runtime prepare for it. Eight images at a time are fastest, as
// measured; one alone is how latency is measured.
constexpr int64_t kImagesPerRun = 8;

// The sizes for what the graph leaves open, none of them if one has no name or two would need the
// same name.
Sizes sizes_of(const std::vector<std::string>& open_names, const std::vector<int64_t>& sizes,
               const std::vector<int64_t>& wanted) {
  Sizes out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 0) continue;
    if (open_names[i].empty()) return {};
    const auto same_name = [&](const auto& known) { return known.first == open_names[i]; };
    const auto known = std::find_if(out.begin(), out.end(), same_name);
    if (known != out.end() && known->second != wanted[i]) return {};
    if (known == out.end()) out.emplace_back(open_names[i], wanted[i]);
  }
  return out;
}

}  // namespace

OnnxNetwork::OnnxNetwork(const AssayPluginRequest& request) : file_(request.file) {
  const OrtOwned<OrtSession> session = open_session(request.file, Optimise::no, {});
  OrtMemoryInfo* memory = nullptr;
  check(ort().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  memory_.reset(memory);
  input_ = read_input(session.get());
  outputs_ = ordered(graph_outputs(session.get()), request);
}

OnnxNetwork::Input OnnxNetwork::read_input(OrtSession* session) const {
  std::size_t count = 0;
  check(ort().SessionGetInputCount(session, &count));
  if (count != 1) {
    throw std::runtime_error("takes " + std::to_string(count) +
                             " inputs; expected one, the images");
  }
  char* name = nullptr;
  check(ort().SessionGetInputName(session, 0, default_allocator(), &name));
  OrtTypeInfo* info = nullptr;
  check(ort().SessionGetInputTypeInfo(session, 0, &info));
  TensorShape shape = shape_of(info);
  if (shape.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT || shape.dims.size() != 4)
    throw std::runtime_error("its input is not a float32 tensor of images, N x 3 x H x W");
  return {taken(name), std::move(shape.dims), std::move(shape.open_names)};
}

Outputs OnnxNetwork::graph_outputs(OrtSession* session) const {
  std::size_t count = 0;
  check(ort().SessionGetOutputCount(session, &count));
  Outputs outputs;
  for (std::size_t i = 0; i < count; ++i) {
    OrtTypeInfo* info = nullptr;
    check(ort().SessionGetOutputTypeInfo(session, i, &info));
    const TensorShape shape = shape_of(info);
    char* raw = nullptr;
    check(ort().SessionGetOutputName(session, i, default_allocator(), &raw));
    const std::string name = taken(raw);
    if (shape.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
      outputs.push_back({name, name, numbers_per_image(shape.dims)});
  }
  if (outputs.empty()) throw std::runtime_error("has no output of type float32");
  return outputs;
}

// Decided by the number of images alone, so that the same batch gives the same digits in every run.
int64_t OnnxNetwork::images_per_run(int64_t count) const {
  if (input_.sizes[0] > 0) return input_.sizes[0];
  return count == 1 ? 1 : kImagesPerRun;
}

OnnxNetwork::Session OnnxNetwork::session_for(int64_t images, const AssayPluginBatch& batch) const {
  const SessionKey key = {images, batch.height, batch.width};
  const std::lock_guard lock(mutex_);
  const auto known = sessions_.find(key);
  if (known != sessions_.end()) return known->second;
  std::erase_if(sessions_, [&](const auto& entry) {
    return entry.first[1] != batch.height || entry.first[2] != batch.width;
  });
  const Sizes sizes = sizes_of(input_.open_names, input_.sizes,
                               {images, batch.channels, batch.height, batch.width});
  Session session = open_session(file_.c_str(), Optimise::fully, sizes);
  return sessions_.emplace(key, std::move(session)).first->second;
}

// Runs a part of a batch and keeps the first `rows` rows of what it gives.
void OnnxNetwork::append(OrtSession* session, const AssayPluginBatch& part, int64_t rows,
                         const std::vector<const char*>& names,
                         std::vector<std::vector<float>>& values) const {
  const std::vector<int64_t> shape = {part.count, part.channels, part.height, part.width};
  const int64_t size = part.count * part.channels * part.height * part.width;
  OrtValue* raw_input = nullptr;
  check(ort().CreateTensorWithDataAsOrtValue(
      memory_.get(), const_cast<float*>(part.pixels),  // only read: the C API has no const form
      static_cast<std::size_t>(size) * sizeof(float), shape.data(), shape.size(),
      ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &raw_input));
  const OrtOwned<OrtValue> input(raw_input);
  std::vector<OrtValue*> raw(names.size(), nullptr);
  const char* const input_name = input_.name.c_str();
  const OrtValue* const inputs = input.get();
  check(
      ort().Run(session, nullptr, &input_name, &inputs, 1, names.data(), names.size(), raw.data()));
  const std::vector<OrtOwned<OrtValue>> results(raw.begin(), raw.end());
  for (std::size_t i = 0; i < results.size(); ++i) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    check(ort().GetTensorTypeAndShape(results[i].get(), &info));
    const OrtOwned<OrtTensorTypeAndShapeInfo> owner(info);
    const TensorShape found = shape_from(info);
    if (found.dims.empty() || found.dims[0] != part.count)
      throw std::runtime_error(std::string("'") + names[i] + "' gave no row per image");
    float* data = nullptr;
    check(ort().GetTensorMutableData(results[i].get(), reinterpret_cast<void**>(&data)));
    values[i].insert(values[i].end(), data, data + rows * numbers_per_image(found.dims));
  }
}

std::vector<std::vector<float>> OnnxNetwork::forward(const AssayPluginBatch& batch,
                                                     const std::vector<int64_t>& wanted) const {
  std::vector<const char*> names;
  for (const int64_t output : wanted)
    names.push_back(outputs_.at(static_cast<std::size_t>(output)).graph_name.c_str());
  const int64_t step = images_per_run(batch.count);
  const Session session = session_for(step, batch);
  std::vector<std::vector<float>> values(wanted.size());
  const int64_t image = batch.channels * batch.height * batch.width;
  for (int64_t first = 0; first < batch.count; first += step) {
    const int64_t rows = std::min(step, batch.count - first);
    AssayPluginBatch part = {batch.pixels + first * image, step, batch.channels, batch.height,
                             batch.width};
    std::vector<float> filled_up;  // the last images, then black ones to make the number full
    if (rows < step) {
      filled_up.resize(static_cast<std::size_t>(step * image));
      std::copy_n(part.pixels, rows * image, filled_up.begin());
      part.pixels = filled_up.data();
    }
    append(session.get(), part, rows, names, values);
  }
  return values;
}

}  // namespace assay::plugin
