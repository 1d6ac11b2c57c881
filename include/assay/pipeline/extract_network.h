#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/parallel.h"
#include "assay/core/progress.h"
#include "assay/data/rows.h"
#include "assay/dataset/image_source.h"
#include "assay/dataset/prepare.h"
#include "assay/net/network.h"
#include "assay/net/network_description.h"
#include "assay/net/trainer.h"
#include "assay/pipeline/model_cost.h"

namespace assay {

// A network as extraction knows it. It is opened only when something has to be computed.
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

// Digest of all images in their order.
std::string images_digest(ThreadPool& pool, const ImageSource& images);

// Features and source probabilities (softmax of the logits, in double) of every image, computed as
// far as the cache does not hold them already. Threads prepare batches and run them, each its own;
// a shard is written when its last batch is done, so that a run that was interrupted goes on where
// it stopped. Shards in the cache are verified; damaged ones are made anew. Throws Error naming the
// file for a network or an image that cannot be used, and for an output that is not finite.
ExtractedModel extract_network(ThreadPool& pool, const NetworkSource& source,
                               const ImageInput& input, const ExtractOptions& options,
                               const ProgressCallback& progress);

}  // namespace assay
