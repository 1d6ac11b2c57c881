#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/features.h"
#include "assay/hub.h"
#include "assay/images.h"
#include "assay/network.h"
#include "assay/progress.h"
#include "assay/rows.h"
#include "assay/thread_pool.h"
#include "assay/work_share.h"

namespace assay {

// Images to run networks on, and the digest that names them in the cache.
struct ImageInput {
  Images images;
  std::string dataset;  // name, for people
  std::string digest;   // of images_digest
};

struct ExtractOptions {
  std::filesystem::path cache;
  std::string layer = "features";  // an output of the network, or "all": every one but the logits
  Index batch = 8;                 // rows that go through the network at once
  Index input_size = 0;            // 0: the network's own
  Index views = 1;                 // rows per image: view 0 is the image, the others augmented
  std::uint64_t seed = 0;          // of the views
  double least_area = 0.2;         // of the crops that views are, as a share of the image
  WorkShare* share = nullptr;      // who runs which networks; null: this process runs all
};

// A matrix in the cache: float32, in shards, one row per image and view (image after image).
struct ExtractedOutput {
  std::string name;
  std::vector<std::filesystem::path> shards;
  Index rows = 0;
  Index dim = 0;
};

struct ExtractedModel {
  std::string name;
  std::vector<ExtractedOutput> outputs;          // the layers asked for
  std::optional<ExtractedOutput> probabilities;  // of the source classes, where there are any
  FileDigest weights;
  ModelCost cost;
  Index computed = 0;    // images that went through the network in this run; 0: all cached
  double seconds = 0.0;  // they took
  Index rebuilt = 0;     // damaged shards made anew
};

// Features and source probabilities (softmax of the logits, in double) of every image, computed as
// far as the cache does not hold them already. Threads prepare batches and run them, each its own;
// a shard is written when its last batch is done, so that a run that was interrupted goes on where
// it stopped. Shards in the cache are verified; damaged ones are made anew. Throws Error naming the
// file for a network or an image that cannot be used, and for an output that is not finite.
ExtractedModel extract_network(ThreadPool& pool, const NetworkSource& source,
                               const ImageInput& input, const ExtractOptions& options,
                               const ProgressCallback& progress);

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
Hub hub_of_extracted(const ExtractResult& result, const LabelledImages& data, Index views);

// The same as files that anybody can read: NAME/features.npy, NAME/probs.npy and labels.npy, where
// each image's label stands once for every view. Classes that are no integers are numbered in their
// order, with their names in classes.txt.
void write_extracted_hub(const Hub& hub, const std::filesystem::path& folder);

// What a command asks for that ranks or measures networks rather than files of features.
struct DataRequest {
  std::filesystem::path data;  // see open_image_data
  std::string split = "train";
  ExtractOptions options;
  // Only images that one of these draws takes: Hub::drawn says which.
  std::optional<Subsample> subsample = {};
};

// The same images, for those who train on them.
inline ImageRequest images_of(const DataRequest& request) {
  return {request.data, request.split, request.options.input_size};
}

// What running the networks of the inputs on one part of the data gave.
struct ExtractedHub {
  std::string dataset;  // its name
  Index images = 0;
  ExtractResult result;
  Hub hub;  // the same, as models of files in the cache
};

// Opens the data, runs the networks of the inputs on the chosen part and hands back what the cache
// holds then. Throws Error when there is no network, or none could be run.
ExtractedHub extract_inputs(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                            const DataRequest& request, const ProgressCallback& progress);

// Both parts of the data, for whoever trains and tests: the second is empty when the data set has
// no test part and no share was asked for.
struct ExtractedParts {
  ExtractedHub train;
  std::optional<ExtractedHub> test;
};
ExtractedParts extract_parts(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                             const DataRequest& request, const ProgressCallback& progress);

}  // namespace assay
