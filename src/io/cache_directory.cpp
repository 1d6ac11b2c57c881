#include "io/cache_directory.h"

#include <cstdlib>

namespace assay {

std::filesystem::path cache_directory() {
  const char* const chosen = std::getenv("ASSAY_CACHE");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".cache" / "assay";
}

}  // namespace assay
