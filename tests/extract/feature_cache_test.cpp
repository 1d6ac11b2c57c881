// Tests: extract/shard, extract/entry_lock, extract/list_cache, io/sealed_json.
#include "extract/feature_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>

#include "assay/error.h"
#include "io/npy.h"
#include "support.h"

namespace assay {
namespace {

using test::error_of;
using test::write_text;
using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> numbers(Index count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.5F);
  return values;
}

TEST(Shards, AreNpyFilesThatKnowTheirDigest) {
  const test::TemporaryDirectory folder;
  write_shard(folder / "a.npy", numbers(12), 4);
  const ShardCheck check = check_shard(folder / "a.npy");
  EXPECT_EQ(check.state, ShardState::sound);
  EXPECT_EQ(check.rows, 3);
  EXPECT_EQ(check.columns, 4);
  const Array array = open_npy(folder / "a.npy");
  EXPECT_EQ(number_at(array, 11), 11.5);
  EXPECT_EQ(check_shard(folder / "b.npy").state, ShardState::missing);
}

TEST(Shards, AnyChangedOrMissingByteIsNoticed) {
  const test::TemporaryDirectory folder;
  write_shard(folder / "a.npy", numbers(6), 2);
  const std::string whole = contents(folder / "a.npy");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_text(folder / "b.npy", damaged);
    ASSERT_EQ(check_shard(folder / "b.npy").state, ShardState::damaged) << at;
    write_text(folder / "b.npy", whole.substr(0, at));
    ASSERT_EQ(check_shard(folder / "b.npy").state, ShardState::damaged) << at;
  }
}

CacheKey key_of(const std::string& model, Index count) {
  return {.model = model,
          .dataset = "flowers",
          .weights = "xxh128:" + model,
          .preprocessing = "plain",
          .images = "xxh128:images",
          .count = count};
}

TEST(CacheKey, KeyChangesWithWhatChangesNumbersOnly) {
  const CacheKey base = key_of("net", 100);
  EXPECT_EQ(base.address().size(), 32U);
  CacheKey renamed = base;
  renamed.model = "other";
  renamed.dataset = "roses";
  EXPECT_EQ(renamed.address(), base.address());
  const auto changed = [&](auto change) {
    CacheKey other = base;
    change(other);
    return other.address() != base.address();
  };
  EXPECT_TRUE(changed([](CacheKey& e) { e.weights = "x"; }));
  EXPECT_TRUE(changed([](CacheKey& e) { e.preprocessing = "x"; }));
  EXPECT_TRUE(changed([](CacheKey& e) { e.images = "x"; }));
  EXPECT_TRUE(changed([](CacheKey& e) { e.count = 99; }));
  EXPECT_TRUE(changed([](CacheKey& e) { e.views = 2; }));
  EXPECT_TRUE(changed([](CacheKey& e) { e.seed = 1; }));
}

TEST(CacheEntries, CutImagesIntoShardsByTheirNumberAlone) {
  const test::TemporaryDirectory folder;
  for (const Index count : {Index{1}, Index{256}, Index{257}, Index{100000}, Index{1281167}}) {
    const CacheEntry entry(folder.path(), key_of("net", count));
    Index sum = 0;
    for (Index shard = 0; shard < entry.shards(); ++shard) {
      EXPECT_EQ(entry.first_image(shard), sum);
      EXPECT_GE(entry.images_in(shard), 1);
      sum += entry.images_in(shard);
    }
    EXPECT_EQ(sum, count);
    EXPECT_LE(entry.shards(), 256);
  }
}

TEST(CacheEntries, KeepNamesThatAreNoFileNamesApart) {
  const test::TemporaryDirectory folder;
  const CacheEntry entry(folder.path(), key_of("net", 10));
  EXPECT_EQ(entry.shard_file("features", 0).filename(), "features.00000.npy");
  EXPECT_NE(entry.shard_file("a/b", 0), entry.shard_file("a.b", 0));
  EXPECT_EQ(entry.shard_file("../x", 0).parent_path(), entry.folder());
}

TEST(CacheEntries, RememberWhatTheyAreTold) {
  const test::TemporaryDirectory folder;
  const CacheEntry entry(folder.path(), key_of("net", 10));
  EXPECT_TRUE(entry.outputs().empty());
  EXPECT_FALSE(entry.latency().has_value());
  entry.keep_outputs({"features", "logits"});
  entry.keep_latency(1.25);
  const CacheEntry again(folder.path(), key_of("net", 10));
  EXPECT_THAT(again.outputs(), ElementsAre("features", "logits"));
  EXPECT_EQ(again.latency(), 1.25);
  write_text(entry.folder() / "latency.json", "{\"milliseconds_per_image\": \"soon\"}");
  write_text(entry.folder() / "outputs.json", "[1");
  EXPECT_FALSE(again.latency().has_value());
  EXPECT_TRUE(again.outputs().empty());
}

TEST(CacheEntries, LockRemovesLeftoversAndIsHeldByOne) {
  const test::TemporaryDirectory folder;
  const CacheEntry entry(folder.path(), key_of("net", 10));
  EXPECT_FALSE(fs::exists(entry.folder()));  // looking leaves no trace
  entry.keep_latency(1.0);
  write_text(entry.folder() / "features.00000.npy.Ab12Cd", "half a shard");
  const fs::path file =
      entry.folder().parent_path() / (entry.folder().filename().string() + ".lock");
  {
    const FileLock lock = entry.lock();
    EXPECT_FALSE(fs::exists(entry.folder() / "features.00000.npy.Ab12Cd"));
    EXPECT_TRUE(fs::exists(entry.folder() / "entry.json"));
    EXPECT_FALSE(FileLock::attempt(file).has_value());
  }
  EXPECT_TRUE(FileLock::attempt(file).has_value());
}

class Pruning : public testing::Test {
 protected:
  // An entry of one shard, last used some days ago.
  std::string add(const std::string& model, double days_ago, Index columns) {
    const CacheKey who = key_of(model, 10);
    const CacheEntry entry(folder_.path(), who);
    entry.keep_outputs({"features"});
    write_shard(entry.shard_file("features", 0), numbers(10 * columns), columns);
    const auto age = std::chrono::duration<double>(days_ago * 86400.0);
    fs::last_write_time(entry.folder() / "entry.json",
                        fs::file_time_type::clock::now() -
                            std::chrono::duration_cast<fs::file_time_type::duration>(age));
    return who.address();
  }

  std::vector<std::string> left() const {
    std::vector<std::string> models;
    for (const CachedEntry& entry : list_cache(folder_.path())) models.push_back(entry.model);
    return models;
  }

  test::TemporaryDirectory folder_;
};

TEST_F(Pruning, ListShowsEntriesByLastUse) {
  add("old", 30.0, 4);
  add("new", 1.0, 8);
  const std::vector<CachedEntry> entries = list_cache(folder_.path());
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].model, "new");
  EXPECT_EQ(entries[0].dataset, "flowers");
  EXPECT_EQ(entries[0].rows, 10);
  EXPECT_EQ(entries[0].dim, 8);
  EXPECT_TRUE(entries[0].complete);
  EXPECT_GT(entries[0].bytes, 10 * 8 * 4);
  EXPECT_NEAR(entries[1].age_days, 30.0, 0.01);
  EXPECT_TRUE(list_cache(folder_ / "nowhere").empty());
}

TEST_F(Pruning, GoesByAgeSizeOrAll) {
  add("old", 30.0, 4);
  add("middle", 10.0, 4);
  add("new", 1.0, 4);
  PruneRules rules{.older_than_days = 20.0, .most_bytes = {}, .dry_run = true};
  EXPECT_EQ(prune_cache(folder_.path(), rules).removed.size(), 1U);
  EXPECT_THAT(left(), ElementsAre("new", "middle", "old"));
  rules.dry_run = false;
  prune_cache(folder_.path(), rules);
  EXPECT_THAT(left(), ElementsAre("new", "middle"));
  const double size = list_cache(folder_.path())[0].bytes;
  const Pruned result =
      prune_cache(folder_.path(), {.older_than_days = {}, .most_bytes = 1.5 * size});
  EXPECT_THAT(left(), ElementsAre("new"));
  EXPECT_NEAR(result.bytes_left, size, 1.0);
  prune_cache(folder_.path(), {.older_than_days = {}, .most_bytes = {}, .all = true});
  EXPECT_TRUE(left().empty());
}

TEST_F(Pruning, SparesEntriesInUseAndForeignFiles) {
  const CacheEntry busy(folder_.path(), key_of("busy", 10));
  const FileLock lock = busy.lock();
  write_text(folder_ / "diary.txt", "not ours");
  fs::create_directories(folder_ / "features" / "photos");
  const Pruned result =
      prune_cache(folder_.path(), {.older_than_days = {}, .most_bytes = {}, .all = true});
  EXPECT_TRUE(result.removed.empty());
  ASSERT_EQ(result.busy.size(), 1U);
  EXPECT_TRUE(fs::exists(busy.folder()));
  EXPECT_TRUE(fs::exists(folder_ / "diary.txt"));
  EXPECT_TRUE(fs::exists(folder_ / "features" / "photos"));
}

TEST(CacheFolder, FollowsTheEnvironment) {
  const char* before = std::getenv("ASSAY_CACHE");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("ASSAY_CACHE", "/some/where", 1);
  EXPECT_EQ(default_cache_folder(), "/some/where");
  ::unsetenv("ASSAY_CACHE");
  ::setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(default_cache_folder(), "/home/someone/.cache/assay");
  if (before != nullptr) ::setenv("ASSAY_CACHE", kept.c_str(), 1);
}

TEST(Ages, AreHoursDaysOrWeeks) {
  EXPECT_DOUBLE_EQ(parse_age("12h"), 0.5);
  EXPECT_DOUBLE_EQ(parse_age("30d"), 30.0);
  EXPECT_DOUBLE_EQ(parse_age("2w"), 14.0);
  for (const char* text : {"", "d", "30", "-1d", "nand", "3 months"})
    EXPECT_THAT(error_of([&] { parse_age(text); }), HasSubstr("is no age")) << text;
}

// A flipped bit in a name would be an output that the network does not have, one in a time a lie.
TEST(CacheEntries, NoticeEveryFlippedBitOfWhatTheyKnow) {
  const test::TemporaryDirectory folder;
  CacheKey key;
  key.model = "m";
  key.weights = "w";
  key.count = 3;
  const CacheEntry entry(folder.path(), key);
  entry.keep_outputs({"features"});
  entry.keep_latency(1.5);
  const auto with_flipped_bits = [&](const char* name, const std::function<void()>& check) {
    const fs::path file = entry.folder() / name;
    const std::string sound = contents(file);
    for (std::size_t i = 0; i + 1 < sound.size(); ++i) {
      std::string flipped = sound;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
      write_text(file, flipped);
      check();
    }
  };
  with_flipped_bits("outputs.json", [&] { EXPECT_TRUE(entry.outputs().empty()); });
  with_flipped_bits("latency.json", [&] { EXPECT_FALSE(entry.latency().has_value()); });
}

}  // namespace
}  // namespace assay
