#include "extract/feature_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "assay/digest.h"
#include "assay/error.h"
#include "extract/entry_files.h"
#include "io/cache_directory.h"
#include "io/sealed_json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kDigestPrefix = "xxh128:";

std::string digest_of(const std::string& text) {
  Digest digest;
  digest.update(std::as_bytes(std::span(text)));
  return digest.hex().substr(kDigestPrefix.size());
}

// Small enough to lose little when a run is killed, few enough for a folder: at least 256 images,
// and no more than some 256 shards. A function of the data alone, so that every run agrees.
Index images_per_shard(Index count) {
  constexpr Index least = 256;
  constexpr Index most_shards = 256;
  const Index needed = (count + most_shards - 1) / most_shards;
  return std::max(least, (needed + least - 1) / least * least);
}

// Layers may be called anything; files may not.
std::string file_stem(const std::string& output) {
  std::string stem;
  for (const char c : output) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    stem.push_back(plain ? c : '_');
  }
  return stem == output ? stem : fmt::format("{}-{}", stem, digest_of(output).substr(0, 8));
}

// What was damaged is as good as never kept.
Json read_kept(const fs::path& path) { return read_sealed_json(path).value_or(Json::object()); }

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    throw Error(ErrorCode::io, fmt::format("{}: cannot create it: {}; set ASSAY_CACHE to a folder "
                                           "you may write to",
                                           folder.string(), failure.message()));
  }
}

}  // namespace

bool is_key(const std::string& name) {
  constexpr std::size_t length = 32;
  return name.size() == length && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

fs::path default_cache_folder() {
  const fs::path chosen = cache_directory();
  if (!chosen.empty()) return chosen;
  fail_input(
      "neither ASSAY_CACHE nor HOME is set; set ASSAY_CACHE to a folder for cached features");
}

std::string CacheKey::address() const {
  return digest_of(
      fmt::format("format {}\nweights {}\npreprocessing {}\nimages {} {}\nviews {} {}\n",
                  kCacheFormat, weights, preprocessing, count, images, views, seed));
}

CacheEntry::CacheEntry(const fs::path& cache, const CacheKey& key)
    : key_(key),
      folder_(entries_folder(cache) / key.address()),
      shard_images_(images_per_shard(key.count)) {
  std::error_code ignored;  // when it was last used, for `cache prune`
  fs::last_write_time(description_file(folder_), fs::file_time_type::clock::now(), ignored);
}

void CacheEntry::create() const {
  make_folder(folder_);
  const fs::path description = description_file(folder_);
  const Json known = read_kept(description);
  if (known.contains("weights") && known["weights"] == key_.weights) return;
  write_sealed_json(description, {{"format", kCacheFormat},
                                  {"model", key_.model},
                                  {"dataset", key_.dataset},
                                  {"weights", key_.weights},
                                  {"preprocessing", key_.preprocessing},
                                  {"images", key_.images},
                                  {"count", key_.count},
                                  {"views", key_.views},
                                  {"seed", key_.seed},
                                  {"shards", shards()}});
}

Index CacheEntry::shards() const { return (key_.count + shard_images_ - 1) / shard_images_; }

Index CacheEntry::images_in(Index shard) const {
  return std::min(shard_images_, key_.count - first_image(shard));
}

fs::path CacheEntry::shard_file(const std::string& output, Index shard) const {
  return folder_ / fmt::format("{}.{:05}.npy", file_stem(output), shard);
}

std::vector<fs::path> CacheEntry::shard_files(const std::string& output) const {
  std::vector<fs::path> files;
  for (Index shard = 0; shard < shards(); ++shard) files.push_back(shard_file(output, shard));
  return files;
}

FileLock CacheEntry::lock() const {
  make_folder(folder_.parent_path());
  FileLock held = FileLock::wait(lock_file(folder_));
  create();  // only now: the entry may have been pruned while we waited
  for (const fs::directory_entry& file : fs::directory_iterator(folder_)) {
    // NAME.npy.XXXXXX, of a run that was killed. Those of .json may be another's at this moment:
    // they are written without the lock.
    std::error_code ignored;
    if (file.path().stem().extension() == ".npy") fs::remove(file.path(), ignored);
  }
  return held;
}

std::vector<std::string> CacheEntry::outputs() const {
  const Json json = read_kept(folder_ / "outputs.json");
  std::vector<std::string> names;
  if (!json.contains("outputs") || !json["outputs"].is_array()) return names;
  for (const Json& name : json["outputs"]) {
    if (name.is_string()) names.push_back(name);
  }
  return names;
}

void CacheEntry::keep_outputs(const std::vector<std::string>& names) const {
  create();
  write_sealed_json(folder_ / "outputs.json", {{"outputs", names}});
}

std::optional<double> CacheEntry::latency() const {
  const Json json = read_kept(folder_ / "latency.json");
  const auto found = json.find("milliseconds_per_image");
  if (found == json.end() || !found->is_number()) return {};
  const double value = *found;
  return value > 0.0 ? std::optional(value) : std::nullopt;
}

void CacheEntry::keep_latency(double milliseconds) const {
  create();
  write_sealed_json(folder_ / "latency.json",
                    {{"milliseconds_per_image", milliseconds}, {"threads", 1}, {"batch", 1}});
}

}  // namespace assay
