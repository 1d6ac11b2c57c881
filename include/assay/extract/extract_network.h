#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/data/rows.h"
#include "assay/hub/model_cost.h"
#include "assay/hub/networks.h"
#include "assay/images/image_source.h"
#include "assay/images/images_digest.h"
#include "assay/images/prepare.h"

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
  double least_area = kLeastCropArea;  // of the crops that views are, as a share of the image
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

}  // namespace assay
