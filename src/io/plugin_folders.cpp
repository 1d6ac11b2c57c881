#include "io/plugin_folders.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "core/text.h"

namespace assay {

namespace fs = std::filesystem;

std::vector<fs::path> plugin_folders() {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("ASSAY_PLUGINS")) {
    for (const std::string& folder : split_list(named, ':')) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  if (!program.empty()) {
    folders.push_back(program);
    folders.push_back(program.parent_path() / "lib" / "assay");
    folders.push_back(program.parent_path());
  }
  return folders;
}

}  // namespace assay
