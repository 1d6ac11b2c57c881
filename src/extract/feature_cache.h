#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/types.h"
#include "extract/entry_lock.h"
#include "extract/shard.h"

namespace assay {

// $ASSAY_CACHE, else ~/.cache/assay. Throws Error when neither can be told.
std::filesystem::path default_cache_folder();

// What the rows of one entry were made of. Everything that changes a number is in the key; names
// are there for people only.
struct CacheKey {
  std::string model;
  std::string dataset;
  std::string weights;        // digest of the network's file
  std::string preprocessing;  // in words that differ when the pixels would
  std::string images;         // digest of all images in their order
  Index count = 0;            // of images
  Index views = 1;
  std::uint64_t seed = 0;  // of the views; 0 when there is one

  Index rows() const { return count * views; }
  std::string address() const;  // 32 hexadecimal digits
};

// One network's outputs for one set of images: a folder of shards per output, and what is known
// beside. Every shard holds the same number of images, but for the last.
class CacheEntry {
 public:
  // The folder is made when something is first kept there.
  CacheEntry(const std::filesystem::path& cache, const CacheKey& key);

  const std::filesystem::path& folder() const { return folder_; }

  Index shards() const;
  Index first_image(Index shard) const { return shard * shard_images_; }
  Index images_in(Index shard) const;

  std::filesystem::path shard_file(const std::string& output, Index shard) const;
  std::vector<std::filesystem::path> shard_files(const std::string& output) const;

  // Held while shards are written; throws Error when the folder cannot be made. Leftovers of a
  // process that was killed are removed.
  FileLock lock() const;

  // Names of the outputs the network has, as it said when it was first opened; empty before.
  std::vector<std::string> outputs() const;
  void keep_outputs(const std::vector<std::string>& names) const;

  std::optional<double> latency() const;  // milliseconds per image, one thread
  void keep_latency(double milliseconds) const;

 private:
  void create() const;

  CacheKey key_;
  std::filesystem::path folder_;
  Index shard_images_;
};

// An entry as `assay cache list` shows it.
struct CachedEntry {
  std::string key;
  std::string model, dataset;        // empty: the description is not readable
  std::vector<std::string> outputs;  // those with shards
  Index rows = 0;                    // when complete
  Index dim = 0;                     // of the features (or the first output); 0: no shard yet
  bool complete = false;             // every output that has shards has all of them
  double bytes = 0.0;
  double age_days = 0.0;  // since it was last used
};

// By age, the most recently used first. A cache that does not exist is empty.
std::vector<CachedEntry> list_cache(const std::filesystem::path& cache);

struct PruneRules {
  std::optional<double> older_than_days;
  std::optional<double> most_bytes;  // the least recently used go until the rest fits
  bool all = false;
  bool dry_run = false;
};

struct Pruned {
  std::vector<CachedEntry> removed;
  std::vector<CachedEntry> busy;  // in use by another process, and kept
  double bytes_left = 0.0;
};

Pruned prune_cache(const std::filesystem::path& cache, const PruneRules& rules);

// "30d", "12h", "2w" -> days. Throws Error.
double parse_age(const std::string& text);

}  // namespace assay
