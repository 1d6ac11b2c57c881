#include "hub/hub_or_files.h"

#include "assay/features.h"

namespace assay {

ModelList models_from(const Hub& hub, const std::vector<std::filesystem::path>& inputs,
                      const std::filesystem::path& labels) {
  return hub.models.empty() ? find_models(inputs, labels) : models_by_name(hub);
}

Targets targets_from(const Hub& hub, const std::filesystem::path& labels) {
  return hub.targets ? *hub.targets : load_targets(labels);
}

}  // namespace assay
