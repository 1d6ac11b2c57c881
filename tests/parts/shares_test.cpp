#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "assay/error.h"
#include "io/sealed_json.h"
#include "parts/cluster_share.h"
#include "parts/data_digest.h"
#include "parts/launcher.h"
#include "parts/merged_share.h"
#include "parts/part_file.h"
#include "parts/part_share.h"
#include "parts/shared_units.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

template <class Action>
void expect_error(const Action& action, const std::string& part) {
  try {
    action();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

struct Square {
  double value = 0.0;
  std::vector<std::string> words = {};
  std::optional<Index> maybe = {};
};

template <class Archive>
void fields(Archive& archive, Square& square) {
  auto& [value, words, maybe] = square;
  archive(value, words, maybe);
}

WorkList five() { return {"squares", {"a", "b", "c", "d", "e"}, "digest"}; }

// NaN, an error and ordinary numbers; -1: what a share did not have.
std::vector<double> squares(WorkShare* share, std::vector<Index>* computed = nullptr) {
  SharedUnits<Square> units(share, five());
  for (Index i = 0; i < 5; ++i) {
    units.run(i, [&]() -> Square {
      if (computed != nullptr) computed->push_back(i);
      if (i == 3) fail_input("three is bad");
      const double value = i == 4 ? std::nan("") : std::sqrt(static_cast<double>(i));
      return {value, {"x", ""}, i == 0 ? std::nullopt : std::optional<Index>(i)};
    });
  }
  units.complete();
  std::vector<double> out;
  for (Index i = 0; i < 5; ++i) {
    try {
      const Square square = units.take(i);
      EXPECT_EQ(square.words.size(), 2U);
      EXPECT_EQ(square.maybe.has_value(), i > 0);
      out.push_back(std::isnan(square.value) ? -4.0 : square.value);
    } catch (const Error& error) {
      out.push_back(std::string(error.what()) == "three is bad" ? -3.0 : -1.0);
    }
  }
  return out;
}

const std::vector<double> kAll = {0.0, 1.0, std::sqrt(2.0), -3.0, -4.0};

TEST(SharedUnits, OneProcessComputesAll) { EXPECT_EQ(squares(nullptr), kAll); }

PartFile blank(Index part, Index parts) {
  PartFile out;
  out.number = {part, parts};
  out.version = "1";
  out.command = {"squares", "--of", "five"};
  return out;
}

std::filesystem::path write_one(const test::TemporaryDirectory& folder, Index part, Index parts) {
  const std::filesystem::path path = folder / (std::to_string(part) + ".json");
  PartShare share(blank(part, parts),
                  [&](const PartFile& file) { write_sealed_json(path, part_json(file)); });
  EXPECT_THROW(squares(&share), ShareDone);
  return path;
}

TEST(Parts, TogetherAreOneRun) {
  for (const Index parts : {1, 2, 3, 7}) {
    const test::TemporaryDirectory folder;
    std::vector<std::filesystem::path> files;
    for (Index part = parts; part >= 1; --part) files.push_back(write_one(folder, part, parts));
    MergedShare merged(read_parts(files, false));
    std::vector<Index> computed;
    EXPECT_EQ(squares(&merged, &computed), kAll);
    EXPECT_TRUE(computed.empty());
  }
}

TEST(Parts, MissingOnesAreNamedOrPassedOver) {
  const test::TemporaryDirectory folder;
  const auto second = write_one(folder, 2, 3);
  expect_error([&] { read_parts({second}, false); }, "parts 1, 3 of 3 are missing");
  MergedShare merged(read_parts({second}, true));
  EXPECT_EQ(squares(&merged), (std::vector<double>{-1.0, 1.0, -1.0, -1.0, -4.0}));
}

TEST(Parts, ThatChangedListOrDataAreRefused) {
  const test::TemporaryDirectory folder;
  MergedShare merged(read_parts({write_one(folder, 1, 1)}, false));
  WorkList list = five();
  list.data = "other";
  expect_error([&] { merged.begin(list); }, "have changed since");
  MergedShare again(read_parts({folder / "1.json"}, false));
  list.units.pop_back();
  expect_error([&] { again.begin(list); }, "not those of the parts");
}

TEST(PartNumber, IsReadOrRefused) {
  EXPECT_EQ(parse_part("2/5").part, 2);
  EXPECT_EQ(parse_part("2/5").parts, 5);
  for (const char* bad : {"", "/", "0/3", "4/3", "1", "1/3/3", "-1/3", "a/3", "1/9999999", " 1/3"})
    EXPECT_THROW(parse_part(bad), Error) << bad;
}

TEST(Archive, RefusesWhatIsCutShort) {
  Square square{1.5, {"word", "another"}, 7};
  const std::string bytes = packed(square);
  EXPECT_EQ(unpacked<Square>(bytes).words, square.words);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(unpacked<Square>(bytes.substr(0, size)), Error) << size;
  EXPECT_THROW(unpacked<Square>(bytes + "x"), Error);
  std::string huge = bytes;
  huge[15] = '\x7f';  // a length of 2^62 words
  EXPECT_THROW(unpacked<Square>(huge), Error);
}

TEST(TargetsDigest, TellsLabelsApart) {
  const std::vector<std::int64_t> ids = {0, 1, 2, 1};
  const std::vector<std::int64_t> others = {0, 1, 2, 2};
  const std::string digest = targets_digest(targets_of_classes(ids, "here"));
  EXPECT_EQ(targets_digest(targets_of_classes(ids, "there")), digest);
  EXPECT_NE(targets_digest(targets_of_classes(others, "here")), digest);
}

// Ranks of a cluster one after another in this process: rank 0 comes last, when all have sent.
std::vector<std::string> sent;

AssayCluster in_process() {
  AssayCluster calls{};
  calls.version = ASSAY_CLUSTER_VERSION;
  calls.library = "none";
  calls.gather = [](const char* bytes, std::size_t size, AssayClusterTake take, void* context,
                    char*, std::size_t) -> std::int32_t {
    if (take == nullptr) return 1;
    sent.emplace_back(bytes, size);
    if (sent.size() < 3) return 0;
    for (std::size_t i = 0; i < 2; ++i)
      take(context, static_cast<std::int32_t>(i + 1), sent[i].data(), sent[i].size());
    return 0;
  };
  return calls;
}

TEST(ClusterShare, RanksTogetherAreOneRun) {
  const AssayCluster calls = in_process();
  sent.clear();
  for (const std::int32_t rank : {1, 2}) {
    ClusterShare share({&calls, {rank, 3, 3}});
    EXPECT_THROW(squares(&share), ShareDone);
  }
  ClusterShare leader({&calls, {0, 3, 3}});
  std::vector<Index> computed;
  EXPECT_EQ(squares(&leader, &computed), kAll);
  EXPECT_EQ(computed, (std::vector<Index>{0, 3}));
}

TEST(ClusterShare, FailureOfARankIsRankZeros) {
  const AssayCluster calls = in_process();
  sent.clear();
  ClusterShare failed({&calls, {1, 3, 3}});
  failed.failed("disk on fire");
  ClusterShare other({&calls, {2, 3, 3}});
  EXPECT_THROW(squares(&other), ShareDone);
  ClusterShare leader({&calls, {0, 3, 3}});
  expect_error([&] { squares(&leader); }, "on rank 1: disk on fire");
}

TEST(ClusterShare, WorkThatIsNotSharedIsRankZeros) {
  const AssayCluster calls = in_process();
  ClusterShare follower({&calls, {1, 3, 3}});
  EXPECT_THROW(follower.alone(), ShareDone);
  ClusterShare leader({&calls, {0, 3, 3}});
  leader.alone();
  EXPECT_EQ(squares(&leader), kAll);
}

// Tests: io/plugin_folders.
TEST(Launcher, IsSeenInTheEnvironment) {
  const auto seen = [](const char* variable, const char* value) {
    ::setenv(variable, value, 1);
    const std::optional<Launched> launch = launched();
    ::unsetenv(variable);
    return launch;
  };
  EXPECT_FALSE(launched());
  EXPECT_FALSE(seen("SLURM_NTASKS", "4"));
  EXPECT_FALSE(seen("OMPI_COMM_WORLD_SIZE", "1"));
  EXPECT_TRUE(seen("OMPI_COMM_WORLD_SIZE", "4"));
  EXPECT_TRUE(seen("PMIX_RANK", "0")->first);
  EXPECT_FALSE(seen("PMI_RANK", "2")->first);
}

}  // namespace
}  // namespace assay
