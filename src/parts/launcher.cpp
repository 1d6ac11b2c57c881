#include "parts/launcher.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "assay/error.h"
#include "io/plugin_folders.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "libassay_mpi.so";

std::optional<Index> number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return {};
  Index value = 0;
  const auto [end, status] = std::from_chars(text, text + std::strlen(text), value);
  if (status != std::errc{} || *end != '\0') return {};
  return value;
}

fs::path plugin_file() {
  std::string searched;
  for (const fs::path& folder : plugin_folders()) {
    std::error_code unreadable;
    if (fs::is_regular_file(folder / kFile, unreadable)) return folder / kFile;
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  fail_input(fmt::format(
      "started by mpirun or another launcher, but the plug-in {} that shares out the work is not "
      "installed, and every process would do all of it; build the plug-in with `make mpi` or set "
      "ASSAY_PLUGINS to its folder (searched: {}), start one process, or set ASSAY_MPI=off",
      kFile, searched));
}

const AssayCluster& load_cluster() {
  const fs::path file = plugin_file();
  // Global: Open MPI's own components look for its symbols.
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (handle == nullptr)
    fail_input(fmt::format("{}; build the plug-in again: make mpi", dlerror()));
  using EntryPoint = const AssayCluster* (*)();
  const auto entry = reinterpret_cast<EntryPoint>(dlsym(handle, "assay_cluster"));
  if (entry == nullptr || entry()->version != ASSAY_CLUSTER_VERSION) {
    fail_input(fmt::format("{}: not a plug-in of this version of assay; build it again: make mpi",
                           file.string()));
  }
  return *entry();
}

}  // namespace

std::optional<Launched> launched() {
  const char* const off = std::getenv("ASSAY_MPI");
  if (off != nullptr && std::string_view(off) == "off") return {};
  Launched launch;
  launch.size = number_of("OMPI_COMM_WORLD_SIZE");
  if (!launch.size) launch.size = number_of("PMI_SIZE");
  bool found = launch.size.has_value();
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    const std::optional<Index> rank = number_of(variable);
    if (!rank) continue;
    found = true;
    launch.first = *rank == 0;
    break;
  }
  if (!found || launch.size == 1) return {};
  return launch;
}

Cluster join_cluster(const Launched& launch) {
  Cluster cluster{&load_cluster(), {}};
  std::array<char, 512> error{};
  if (cluster.calls->start(&cluster.place, error.data(), error.size()) != 0)
    fail_input(fmt::format("{}: {}", cluster.calls->library, error.data()));
  if (launch.size && cluster.place.size != *launch.size) {
    fail_input(fmt::format(
        "the launcher started {} processes, but {} of the plug-in sees {}: the launcher belongs to "
        "another MPI; use the mpirun of {}",
        *launch.size, cluster.calls->library, cluster.place.size, cluster.calls->library));
  }
  return cluster;
}

}  // namespace assay
