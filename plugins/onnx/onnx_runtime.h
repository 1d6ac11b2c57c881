#pragma once

#include <onnxruntime_c_api.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugin {

// Frees what ONNX Runtime hands out.
struct OrtDeleter {
  void operator()(OrtSession* session) const;
  void operator()(OrtSessionOptions* options) const;
  void operator()(OrtMemoryInfo* memory) const;
  void operator()(OrtTypeInfo* info) const;
  void operator()(OrtTensorTypeAndShapeInfo* info) const;
  void operator()(OrtValue* value) const;
};
template <typename T>
using OrtOwned = std::unique_ptr<T, OrtDeleter>;

// Throws std::runtime_error when the library is older than the header.
const OrtApi& ort();

// Throws std::runtime_error with what went wrong, if anything did.
void check(OrtStatus* status);

// Names of dimensions that the graph leaves open, with the sizes they are to have.
using Sizes = std::vector<std::pair<std::string, int64_t>>;

enum class Optimise { no, fully };

// The graph of a file, ready to run. Each run stays on the thread that calls it: Assay runs several
// at once instead. With all sizes known beforehand ONNX Runtime computes what follows from them
// once, such as the paddings of TensorFlow's networks, and makes them part of the convolutions.
OrtOwned<OrtSession> open_session(const char* file, Optimise optimise, const Sizes& sizes);

// "1.21.0" of the library that was loaded.
std::string onnxruntime_version();

}  // namespace assay::plugin
