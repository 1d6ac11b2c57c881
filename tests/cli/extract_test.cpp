// Tests: hub/networks, extract/extract_inputs, extract/extract_report, extract/write_hub.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "extract/feature_cache.h"
#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::golden;
using test::json_of;
using test::run_assay;
using test::write_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace fs = std::filesystem;

// A hub with one file that is no network, two images, and a cache of the test's own.
class ExtractCommand : public testing::Test {
 protected:
  ExtractCommand() {
    ::setenv("ASSAY_CACHE", (folder_ / "cache").c_str(), 1);
    fs::create_directories(hub_);
    write_text(hub_ / "broken.pt", "this is no network");
    for (const char* name : {"a", "b"}) {
      fs::create_directories(data_ / name);
      fs::copy_file(golden("images/rgb.png"), data_ / name / "1.png");
    }
  }
  ~ExtractCommand() override { ::unsetenv("ASSAY_CACHE"); }

  CommandResult extract(const fs::path& data) const {
    return run_assay({"extract", hub_.string(), "--data", data.string()});
  }

  test::TemporaryDirectory folder_;
  fs::path hub_ = folder_ / "hub";
  fs::path data_ = folder_ / "data";
};

TEST_F(ExtractCommand, NamesTheNetworkThatCannotBeRun) {
  const CommandResult result = extract(data_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("broken"));
  const CommandResult rank =
      run_assay({"rank", hub_.string(), "--data", data_.string(), "--ci", "0"});
  EXPECT_EQ(rank.exit_code, 2);
  EXPECT_THAT(rank.err, HasSubstr("broken"));
  EXPECT_THAT(json_of(run_assay({"cache", "list", "--json", "-"})).at("entries"), IsEmpty());
}

TEST_F(ExtractCommand, NamesWhatIsWrongWithTheData) {
  EXPECT_THAT(extract(folder_ / "nowhere").err, HasSubstr("nowhere"));
  fs::create_directories(data_ / "void");
  const CommandResult empty_class = extract(data_);
  EXPECT_EQ(empty_class.exit_code, 2);
  EXPECT_THAT(empty_class.err, AllOf(HasSubstr("void"), HasSubstr("no image")));
  EXPECT_THAT(
      run_assay({"extract", hub_.string(), "--data", data_.string(), "--split", "half"}).err,
      HasSubstr("is no split"));
}

TEST_F(ExtractCommand, LabelsAndDataExcludeEachOther) {
  write_text(folder_ / "labels.txt", "a\nb\n");
  for (const char* command : {"rank", "truth"}) {
    const CommandResult both = run_assay({command, hub_.string(), "--data", data_.string(),
                                          "--labels", (folder_ / "labels.txt").string()});
    EXPECT_EQ(both.exit_code, 2) << command;
    EXPECT_THAT(both.err, HasSubstr("--labels")) << command;
  }
  EXPECT_EQ(run_assay({"truth", hub_.string()}).exit_code, 2);
}

TEST_F(ExtractCommand, CacheIsListedAndPruned) {
  EXPECT_THAT(run_assay({"cache", "list"}).out, HasSubstr("0 entries"));
  const CacheEntry entry(folder_ / "cache", {.model = "net",
                                             .dataset = "flowers",
                                             .weights = "w",
                                             .preprocessing = "p",
                                             .images = "i",
                                             .count = 2});
  entry.keep_outputs({"features"});
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  write_shard(entry.shard_file("features", 0), values, 3);
  const CommandResult list = run_assay({"cache", "list"});
  EXPECT_THAT(list.out, AllOf(HasSubstr("net"), HasSubstr("flowers"), HasSubstr("1 entries")));
  const json entries = json_of(run_assay({"cache", "list", "--json", "-"})).at("entries");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].at("name"), "net");
  EXPECT_EQ(entries[0].at("n"), 2);
  EXPECT_EQ(entries[0].at("dim"), 3);
  EXPECT_EQ(run_assay({"cache", "prune"}).exit_code, 2);
  EXPECT_EQ(run_assay({"cache", "prune", "--older-than", "soon"}).exit_code, 2);
  EXPECT_THAT(run_assay({"cache", "prune", "--all", "--dry-run"}).out, HasSubstr("would remove 1"));
  EXPECT_TRUE(fs::exists(entry.folder()));
  EXPECT_THAT(run_assay({"cache", "prune", "--older-than", "1d"}).out, HasSubstr("removed 0"));
  EXPECT_THAT(run_assay({"cache", "prune", "--all"}).out, HasSubstr("removed 1"));
  EXPECT_FALSE(fs::exists(entry.folder()));
}

}  // namespace
}  // namespace assay
