#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/extract/extract_hub.h"
#include "assay/hub/networks.h"
#include "assay/images/image_request.h"

namespace assay {

// What a command asks for that ranks or measures networks rather than files of features.
struct DataRequest {
  std::filesystem::path data;  // see open_image_data
  std::string split = "train";
  ExtractOptions options;
};

// The same images, for those who train on them.
inline ImageRequest images_of(const DataRequest& request) {
  return {request.data, request.split, request.options.input_size};
}

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
