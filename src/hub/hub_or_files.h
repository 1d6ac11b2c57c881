#pragma once

#include <filesystem>
#include <vector>

#include "assay/hub.h"
#include "assay/targets.h"

namespace assay {

// One rule for every request that has both: what is in memory, else what the files hold. Throw
// Error as models_by_name, find_models and load_targets do.
ModelList models_from(const Hub& hub, const std::vector<std::filesystem::path>& inputs,
                      const std::filesystem::path& labels);
Targets targets_from(const Hub& hub, const std::filesystem::path& labels);

}  // namespace assay
