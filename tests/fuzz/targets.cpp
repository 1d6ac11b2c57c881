#include "targets.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "core/memory.h"

namespace assay::fuzz {
namespace {

constexpr std::array<Target, 16> kTargets = {{{"checkpoint", checkpoint},
                                              {"curve", curve},
                                              {"hdf5", hdf5},
                                              {"hdf5_answers", hdf5_answers},
                                              {"hub_json", hub_json},
                                              {"image", image},
                                              {"journal", journal},
                                              {"labels", labels},
                                              {"npy", npy},
                                              {"npz", npz},
                                              {"numeric_csv", numeric_csv},
                                              {"report", report},
                                              {"safetensors", safetensors},
                                              {"scores", scores},
                                              {"shard", shard},
                                              {"table", table}}};

// Removed when the process ends as it should; a crash leaves the file that caused it.
class Folder {
 public:
  Folder() {
    const char* const shared = "/dev/shm";
    const bool fast = ::access(shared, W_OK) == 0;
    std::string pattern =
        (fast ? std::string(shared) : std::filesystem::temp_directory_path().string()) +
        "/assay-fuzz-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder to fuzz in");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

void prepare() { limit_reading(Index{1} << 20); }

std::span<const Target> all_targets() { return kTargets; }

const Target& target_named(std::string_view name) {
  const auto found = std::ranges::find(kTargets, name, &Target::name);
  if (found == kTargets.end()) throw std::runtime_error("no fuzz target of this name");
  return *found;
}

std::filesystem::path as_file(Bytes bytes, const std::string& name) {
  static const Folder folder;
  const std::filesystem::path path = folder.path() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return path;
}

}  // namespace assay::fuzz
