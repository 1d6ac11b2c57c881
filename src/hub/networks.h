#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/hub.h"
#include "assay/network.h"

namespace assay {

struct NetworkSources {
  std::vector<NetworkSource> networks;
  std::vector<FailedModel> failed;  // described, but not so that they could be run
  std::vector<std::string> notes;
};

// The networks of hubs and single files, ready to be opened.
NetworkSources networks_of(const std::vector<std::filesystem::path>& inputs);

// The same; throws Error when there are none.
NetworkSources require_networks(const std::vector<std::filesystem::path>& inputs);

}  // namespace assay
