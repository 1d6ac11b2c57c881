#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "extract/entry_files.h"
#include "extract/feature_cache.h"
#include "io/csv.h"
#include "io/npy.h"
#include "io/sealed_json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr double kSecondsPerDay = 86400.0;

struct ShardName {
  std::string output;
  bool valid = false;
};

// "features.00003.npy" -> "features".
ShardName shard_name(const fs::path& file) {
  if (file.extension() != ".npy") return {};
  const std::string stem = file.stem().string();
  const std::size_t dot = stem.find_last_of('.');
  if (dot == std::string::npos || dot == 0) return {};
  return {stem.substr(0, dot), true};
}

Index columns_of(const fs::path& shard) {
  try {
    const Array array = open_npy(shard);
    return array.rank() == 2 ? array.shape[1] : 0;
  } catch (const Error&) {
    return 0;
  }
}

void read_description(const fs::path& folder, CachedEntry& entry, Index& shards) {
  const nlohmann::ordered_json json =
      read_sealed_json(description_file(folder)).value_or(nlohmann::ordered_json::object());
  try {
    entry.model = json.value("model", "");
    entry.dataset = json.value("dataset", "");
    entry.rows = json.value("count", Index{0}) * json.value("views", Index{1});
    shards = json.value("shards", Index{0});
  } catch (const nlohmann::json::exception&) {  // a value of another type: as good as none
    entry.model.clear();
  }
}

CachedEntry describe(const fs::path& folder) {
  CachedEntry entry;
  entry.key = folder.filename().string();
  Index shards = 0;
  read_description(folder, entry, shards);
  std::map<std::string, Index> found;
  std::error_code ignored;
  fs::path sample;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, ignored)) {
    entry.bytes += static_cast<double>(file.file_size(ignored));
    const ShardName name = shard_name(file.path());
    if (!name.valid) continue;
    ++found[name.output];
    if (sample.empty() || name.output == "features") sample = file.path();
  }
  entry.complete = !found.empty();
  for (const auto& [output, count] : found) {
    entry.outputs.push_back(output);
    entry.complete = entry.complete && count == shards;
  }
  if (!sample.empty()) entry.dim = columns_of(sample);
  const auto used = fs::last_write_time(description_file(folder), ignored);
  const std::chrono::duration<double> age = fs::file_time_type::clock::now() - used;
  if (!ignored) entry.age_days = std::max(0.0, age.count() / kSecondsPerDay);
  return entry;
}

// False when another process works on it.
bool remove_entry(const fs::path& folder) {
  const std::optional<FileLock> lock = FileLock::attempt(lock_file(folder));
  if (!lock) return false;
  std::error_code failure;
  fs::remove_all(folder, failure);
  if (failure) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot remove it: {}", folder.string(), failure.message()));
  }
  fs::remove(lock_file(folder), failure);
  return true;
}

}  // namespace

std::vector<CachedEntry> list_cache(const fs::path& cache) {
  std::vector<CachedEntry> entries;
  std::error_code ignored;
  for (const fs::directory_entry& item : fs::directory_iterator(entries_folder(cache), ignored)) {
    if (item.is_directory() && is_key(item.path().filename().string()))
      entries.push_back(describe(item.path()));
  }
  std::sort(entries.begin(), entries.end(), [](const CachedEntry& a, const CachedEntry& b) {
    return a.age_days != b.age_days ? a.age_days < b.age_days : a.key < b.key;
  });
  return entries;
}

Pruned prune_cache(const fs::path& cache, const PruneRules& rules) {
  std::vector<CachedEntry> entries = list_cache(cache);
  Pruned result;
  for (const CachedEntry& entry : entries) result.bytes_left += entry.bytes;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {  // the oldest first
    const bool old = rules.older_than_days && entry->age_days > *rules.older_than_days;
    const bool over = rules.most_bytes && result.bytes_left > *rules.most_bytes;
    if (!rules.all && !old && !over) continue;
    if (rules.dry_run || remove_entry(entries_folder(cache) / entry->key)) {
      result.bytes_left -= entry->bytes;
      result.removed.push_back(std::move(*entry));
    } else {
      result.busy.push_back(std::move(*entry));
    }
  }
  return result;
}

double parse_age(const std::string& text) {
  const std::map<char, double> days = {{'h', 1.0 / 24.0}, {'d', 1.0}, {'w', 7.0}};
  const auto unit = text.empty() ? days.end() : days.find(text.back());
  const std::optional<double> number =
      unit == days.end() ? std::nullopt : number_in(text.substr(0, text.size() - 1));
  if (!number || !(*number >= 0.0) || *number > 1e6) {
    fail_input(fmt::format("'{}' is no age; write for example 30d, 12h or 2w", text));
  }
  return *number * unit->second;
}

}  // namespace assay
