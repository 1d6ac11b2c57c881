#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/extract/extract_network.h"
#include "assay/hub/failed_model.h"
#include "assay/hub/given_hub.h"
#include "assay/images/image_data.h"

namespace assay {

struct ExtractRequest {
  std::vector<NetworkSource> networks;
  LabelledImages data;
  std::string dataset;         // its name
  std::filesystem::path path;  // where it lies
  ExtractOptions options;
};

struct ExtractResult {
  std::vector<ExtractedModel> models;
  std::vector<FailedModel> failed;
  std::vector<std::string> notes;
  FileDigest images;
};

// extract_network for one after another. A network that fails is listed and the others go on;
// throws Error only when the images themselves cannot be listed or the cache not be written.
ExtractResult extract_hub(ThreadPool& pool, const ExtractRequest& request,
                          const ProgressCallback& progress);

// What was extracted as models of a hub, with their costs and one target per row. A network with
// several layers is several models: NAME@LAYER.
GivenHub extracted_hub(const ExtractResult& result, const LabelledImages& data, Index views);

// The same as files that anybody can read: NAME/features.npy, NAME/probs.npy and labels.npy, where
// each image's label stands once for every view. Classes that are no integers are numbered in their
// order, with their names in classes.txt.
void write_extracted_hub(const GivenHub& hub, const std::filesystem::path& folder);

}  // namespace assay
