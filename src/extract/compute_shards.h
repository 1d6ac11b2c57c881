#pragma once

#include <string>
#include <vector>

#include "assay/extract.h"
#include "assay/progress.h"
#include "assay/thread_pool.h"
#include "extract/feature_cache.h"

namespace assay {

// The shards of an entry that are still to be computed, and which outputs each lacks.
struct MissingShard {
  Index shard = 0;
  std::vector<std::string> outputs;  // as the network calls them
};

// The name an output has in the cache: logits are kept as probabilities.
std::string cached_name(const std::string& output);

// What all shards are computed from.
struct ShardInputs {
  Network* network = nullptr;
  const NetworkSource* source = nullptr;
  const ImageInput* input = nullptr;
  Preprocessing preprocessing;  // with the input size in force
  ExtractOptions options;
};

// Computes and writes the missing shards; returns the number of images that took. Throws Error; the
// shards finished before stay.
Index compute_shards(ThreadPool& pool, const CacheEntry& entry, const ShardInputs& run,
                     const std::vector<MissingShard>& missing, const ProgressCallback& progress);

// Milliseconds that one image takes on one thread, the median of a few runs.
double measure_latency(const ShardInputs& run, const std::string& output);

}  // namespace assay
