#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/hub/failed_model.h"
#include "assay/net/network.h"
#include "assay/net/network_description.h"
#include "assay/net/trainer.h"

namespace assay {

// A network that can be opened. It is opened only when something has to be computed.
struct NetworkSource {
  std::string name;
  std::filesystem::path file;  // its weights: their digest is part of the cache's address
  Preprocessing preprocessing;
  Index classes = -1;  // of the source task; 0: it has none, -1: the network will say
  Index params = 0;    // 0: not known
  std::string recipe;  // which methods give what, where that is a choice: part of the address
  std::function<std::unique_ptr<Network>()> open;  // throws Error naming the file
  // For networks that are to be tuned, with the framework's threads; throws as well.
  std::function<std::unique_ptr<Trainer>(int threads)> train = {};
};

struct HubNetworks {
  std::vector<NetworkSource> networks;
  std::vector<FailedModel> failed;  // described, but not so that they could be run
  std::vector<std::string> notes;
};

// The networks of hubs and single files, ready to be opened.
HubNetworks networks_of(const std::vector<std::filesystem::path>& inputs);

// The same; throws Error when there are none.
HubNetworks required_networks(const std::vector<std::filesystem::path>& inputs);

}  // namespace assay
