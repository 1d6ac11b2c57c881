#include "onnx_runtime.h"

#include <stdexcept>

namespace assay::plugin {
namespace {

// Null when the library is older than the header; `ort` says so.
const OrtApi* api() {
  static const OrtApi* const found = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  return found;
}

// One for the whole process; it lives as long.
OrtEnv* environment() {
  static OrtEnv* const shared = [] {
    OrtEnv* made = nullptr;
    check(ort().CreateEnv(ORT_LOGGING_LEVEL_ERROR, "assay", &made));
    check(ort().DisableTelemetryEvents(made));
    return made;
  }();
  return shared;
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

const OrtApi& ort() {
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

OrtOwned<OrtSession> open_session(const char* file, Optimise optimise, const Sizes& sizes) {
  OrtSessionOptions* raw = nullptr;
  check(ort().CreateSessionOptions(&raw));
  const OrtOwned<OrtSessionOptions> options(raw);
  check(ort().SetIntraOpNumThreads(raw, 1));
  check(ort().SetInterOpNumThreads(raw, 1));
  check(ort().SetSessionExecutionMode(raw, ORT_SEQUENTIAL));
  check(ort().SetSessionGraphOptimizationLevel(
      raw, optimise == Optimise::fully ? ORT_ENABLE_ALL : ORT_DISABLE_ALL));
  for (const auto& [name, size] : sizes)
    check(ort().AddFreeDimensionOverrideByName(raw, name.c_str(), size));
  OrtSession* session = nullptr;
  check(ort().CreateSession(environment(), file, raw, &session));
  return OrtOwned<OrtSession>(session);
}

std::string onnxruntime_version() { return OrtGetApiBase()->GetVersionString(); }

}  // namespace assay::plugin
