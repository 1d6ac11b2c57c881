#pragma once

#include <filesystem>

namespace assay {

// Where things that were costly to compute are kept: $ASSAY_CACHE, else ~/.cache/assay. Empty when
// neither is known; nothing is kept then. The directory need not exist.
std::filesystem::path cache_directory();

}  // namespace assay
