#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/pipeline/extract_hub.h"

namespace assay {

struct HubNetworks {
  std::vector<NetworkSource> networks;
  std::vector<FailedModel> failed;  // described, but not so that they could be run
  std::vector<std::string> notes;
};

// The networks of hubs and single files, ready to be opened.
HubNetworks networks_of(const std::vector<std::filesystem::path>& inputs);

// The same; throws Error when there are none.
HubNetworks required_networks(const std::vector<std::filesystem::path>& inputs);

// What a command asks for that ranks or measures networks rather than files of features.
struct DataRequest {
  std::filesystem::path data;  // see open_image_data
  std::string split = "train";
  ExtractOptions options;
};

// What running the networks of the inputs on one part of the data gave.
struct ExtractedInputs {
  std::string dataset;  // its name
  Index images = 0;
  ExtractResult result;
  GivenHub hub;  // the same, as models of files in the cache
};

// Opens the data, runs the networks of the inputs on the chosen part and hands back what the cache
// holds then. Throws Error when there is no network, or none could be run.
ExtractedInputs extract_inputs(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                               const DataRequest& request, const ProgressCallback& progress);

// Both parts of the data, for whoever trains and tests: the second is empty when the data set has
// no test part and no share was asked for.
struct ExtractedParts {
  ExtractedInputs train;
  std::optional<ExtractedInputs> test;
};
ExtractedParts extract_parts(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                             const DataRequest& request, const ProgressCallback& progress);

}  // namespace assay
