#include "net/plugin_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <mutex>

#include "assay/error.h"
#include "io/plugin_folders.h"
#include "net/open_network.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string file_name(Backend backend) {
  return backend == Backend::torchscript ? "libassay_torch.so" : "libassay_onnx.so";
}

std::string make_goal(Backend backend) {
  return backend == Backend::torchscript ? "make torch" : "make onnx";
}

const AssayPlugin& load(Backend backend) {
  const std::optional<fs::path> file = find_plugin(backend);
  if (!file) fail_input(missing_plugin_message(backend));
  void* const handle = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr)
    fail_input(fmt::format("{}; build the plug-in again: {}", dlerror(), make_goal(backend)));
  using EntryPoint = const AssayPlugin* (*)();
  const auto entry = reinterpret_cast<EntryPoint>(dlsym(handle, "assay_plugin"));
  if (entry == nullptr || entry()->version != ASSAY_PLUGIN_VERSION) {
    fail_input(fmt::format("{}: not a plug-in of this version of assay; build it again: {}",
                           file->string(), make_goal(backend)));
  }
  return *entry();
}

}  // namespace

std::optional<fs::path> find_plugin(Backend backend) {
  for (const fs::path& folder : plugin_folders()) {
    std::error_code unreadable;
    if (fs::is_regular_file(folder / file_name(backend), unreadable))
      return folder / file_name(backend);
  }
  return {};
}

std::string missing_plugin_message(Backend backend) {
  std::string searched;
  for (const fs::path& folder : plugin_folders())
    searched += (searched.empty() ? "" : ", ") + folder.string();
  return fmt::format(
      "{} networks need the plug-in {}, which is not installed; build it with `{}`, or set "
      "ASSAY_PLUGINS to the folder that holds it (searched: {})",
      backend == Backend::torchscript ? "TorchScript" : "ONNX", file_name(backend),
      make_goal(backend), searched);
}

const AssayPlugin& load_plugin(Backend backend) {
  static std::mutex mutex;
  static std::array<const AssayPlugin*, 2> loaded = {};
  const std::lock_guard lock(mutex);
  const AssayPlugin*& plugin = loaded[backend == Backend::torchscript ? 0 : 1];
  if (plugin == nullptr) plugin = &load(backend);
  return *plugin;
}

std::string plugin_library(Backend backend) { return load_plugin(backend).library; }

}  // namespace assay
