#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

// Tests: rank/rank_moments, rank/moment_replicate.

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::read_text;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::IsEmpty;

using Path = std::filesystem::path;
using Words = std::vector<std::string>;

// Without what differs between any two runs.
void forget_times(json& value) {
  if (value.is_object()) {
    value.erase("provenance");
    value.erase("seconds");
  }
  if (value.is_structured())
    for (json& inner : value) forget_times(inner);
}

std::string timeless(const Path& file) {
  json value = json::parse(read_text(file));
  forget_times(value);
  return value.dump(1);
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class MergeCommand : public test::HubTest {
 protected:
  Path in(const std::string& name) const { return hub_.parent_path() / name; }

  // One run, and the same work in parts.
  void expect_parts_are_one_run(const Words& command, int parts) {
    ASSERT_EQ(run_assay(with(command, {"--json", in("one.json").string()})).exit_code, 0);
    Words merge = {"merge"};
    for (int part = parts; part >= 1; --part) {
      const std::string file = in(fmt::format("p{}.json", part)).string();
      const CommandResult done =
          run_assay(with(command, {"--part", fmt::format("{}/{}", part, parts), "--json", file}));
      ASSERT_EQ(done.exit_code, 0) << done.err;
      merge.push_back(file);
    }
    const CommandResult merged = run_assay(with(merge, {"--json", in("merged.json").string()}));
    ASSERT_EQ(merged.exit_code, 0) << merged.err;
    EXPECT_EQ(timeless(in("merged.json")), timeless(in("one.json")));
  }

  Words rank_words() const { return {"rank", hub_.string(), "--labels", labels_.string()}; }
  Path part(int number, int parts, const Words& command) {
    const Path file = in(fmt::format("part{}of{}.json", number, parts));
    EXPECT_EQ(run_assay(with(command, {"--part", fmt::format("{}/{}", number, parts), "--json",
                                       file.string()}))
                  .exit_code,
              0);
    return file;
  }
};

TEST_F(MergeCommand, RankInPartsIsOneRun) {
  expect_parts_are_one_run(rank_words(), 2);
  expect_parts_are_one_run(with(rank_words(), {"--metric", "all"}), 3);
  expect_parts_are_one_run(with(rank_words(), {"--controls", "--jackknife", "refit"}), 2);
  expect_parts_are_one_run(with(rank_words(), {"--subsample", "20:3"}), 2);
  expect_parts_are_one_run(with(rank_words(), {"--fixed-points", "--accuracy"}),
                           4);  // one is empty
}

TEST_F(MergeCommand, OtherCommandsInPartsAreOneRun) {
  const std::string hub = hub_.string();
  const std::string labels = labels_.string();
  expect_parts_are_one_run({"truth", hub, "--labels", labels, "--runs", "2"}, 2);
  expect_parts_are_one_run({"curve", hub, "--labels", labels, "--no-journal", "--seeds", "2",
                            "--sizes", "20,40", "--refine=1"},
                           3);
  const std::string good = (hub_ / "good.npy").string();
  expect_parts_are_one_run({"prior", "score", hub, "--prior", good, "--labels", labels}, 2);
  expect_parts_are_one_run({"prior", "score", hub, "--prior", "each", "--memory-limit", "1MiB"}, 2);
  const std::string tasks = in("tasks.npy").string();
  ASSERT_EQ(run_assay({"prior", "sample", good, "--classes", "2", "--tasks", "5", "--out", tasks})
                .exit_code,
            0);
  expect_parts_are_one_run({"prior", "probe", hub, "--tasks", tasks, "--prior", good}, 2);
}

TEST_F(MergeCommand, NamesWhatIsWrongWithParts) {
  const std::string first = part(1, 2, rank_words()).string();
  const std::string second = part(2, 2, rank_words()).string();
  const auto refused = [](const Words& parts, const std::string& why) {
    const CommandResult result = run_assay(with({"merge"}, parts));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_THAT(result.out, IsEmpty());
  };
  refused({first}, "part 2 of 2 is missing");
  refused({first, second, first}, "both are part 1");
  refused({first, part(2, 3, rank_words()).string()}, "one of 3 parts");
  refused({first, part(2, 2, with(rank_words(), {"--seed", "9"})).string()}, "--seed 9");
  refused({first, labels_.string()}, "not a part");
  std::string text = read_text(second);
  for (const std::size_t at : {text.size() / 3, text.size() / 2, text.size() - 20}) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_text(in("damaged.json"), damaged);
    refused({first, in("damaged.json").string()}, "damaged.json: not a part of assay, or damaged");
    write_text(in("damaged.json"), text.substr(0, at));
    refused({first, in("damaged.json").string()}, "damaged.json: not a part of assay, or damaged");
  }
}

TEST_F(MergeCommand, PartsOfOtherLabelsAreForeign) {
  const std::string first = part(1, 2, rank_words()).string();
  const std::string labels = read_text(labels_);
  const std::size_t line = labels.find('\n') + 1;
  write_text(labels_, labels.substr(line) + labels.substr(0, line));
  const std::string second = part(2, 2, rank_words()).string();
  EXPECT_THAT(run_assay({"merge", first, second}).err, HasSubstr("other labels or data"));
  // Both of the old ones, when the labels are new.
  const CommandResult changed = run_assay({"merge", first, "--allow-missing"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("have changed since"));
}

TEST_F(MergeCommand, AllowMissingShowsWhatThereIs) {
  const std::string first = part(1, 2, rank_words()).string();
  const CommandResult result = run_assay({"merge", first, "--allow-missing", "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const json all = json_of(result);
  EXPECT_EQ(all.at("models").size(), 2U);
  ASSERT_EQ(all.at("failed").size(), 1U);
  EXPECT_THAT(all.at("failed")[0].at("error").get<std::string>(),
              HasSubstr("part that is missing"));
}

TEST_F(MergeCommand, PartIsRefusedWhereItMeansNothing) {
  EXPECT_THAT(run_assay(with(rank_words(), {"--part", "1/2"})).err, HasSubstr("--json part1.json"));
  EXPECT_THAT(run_assay(with(rank_words(), {"--part", "3/2", "--json", "-"})).err,
              HasSubstr("expected i/N"));
  const CommandResult predict =
      run_assay({"predict", (hub_ / "good.npy").string(), "--fit", (hub_ / "good.npy").string(),
                 "--labels", labels_.string(), "--part", "1/2", "--json", "-"});
  EXPECT_EQ(predict.exit_code, 2);
  EXPECT_THAT(predict.err, HasSubstr("does not fall into shares"));
}

TEST_F(MergeCommand, AModelThatFailsFailsInItsPart) {
  write_text(hub_ / "bad.npy", "no array");
  const Path file = in("p.json");
  const CommandResult one =
      run_assay(with(rank_words(), {"--part", "1/4", "--json", file.string()}));  // bad comes first
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.err, HasSubstr("bad.npy"));
}

TEST_F(MergeCommand, MomentsInPartsRankAsRows) {
  const std::string good = (hub_ / "good.npy").string();
  const Words sums = {"moments", good, "--labels", labels_.string()};
  Words rank = {"rank", "--json", "-", "--moments"};
  for (const char* number : {"1", "2", "3"}) {
    const std::string file = in(fmt::format("good.{}.am", number)).string();
    const CommandResult done =
        run_assay(with(sums, {"--part", fmt::format("{}/3", number), "-o", file}));
    ASSERT_EQ(done.exit_code, 0) << done.err;
    rank.push_back(file);
  }
  const CommandResult ranked = run_assay(rank);
  ASSERT_EQ(ranked.exit_code, 0) << ranked.err;
  const json scores = json_of(ranked).at("models")[0].at("scores");
  const json rows =
      json_of(run_assay({"rank", good, "--labels", labels_.string(), "--metric",
                         "logme,hscore,hscore_shrunk", "--jackknife", "refit", "--json", "-"}))
          .at("models")[0]
          .at("scores");
  for (const char* metric : {"logme", "hscore", "hscore_shrunk"})
    for (const char* number : {"value", "low", "high"})
      EXPECT_NEAR(scores.at(metric).at(number), rows.at(metric).at(number), 1e-7)
          << metric << " " << number;
  rank.pop_back();
  EXPECT_THAT(run_assay(rank).err, HasSubstr("rows are in no part"));
  rank.push_back(in("good.2.am").string());
  EXPECT_THAT(run_assay(rank).err, HasSubstr("leave one out"));
}

// A copy of the command in a folder where no plug-in is.
TEST_F(MergeCommand, LauncherWithoutThePlugInIsAnErrorSaidOnce) {
  const Path copy = file("alone") / "bin" / "assay";
  std::filesystem::create_directories(copy.parent_path());
  std::filesystem::copy_file(ASSAY_COMMAND, copy);
  const Words command = with({copy.string()}, rank_words());
  const auto run_as = [&](const char* rank, const char* size) {
    return test::run_program(with({"/usr/bin/env", fmt::format("OMPI_COMM_WORLD_RANK={}", rank),
                                   fmt::format("OMPI_COMM_WORLD_SIZE={}", size)},
                                  command));
  };
  const CommandResult first = run_as("0", "3");
  EXPECT_EQ(first.exit_code, 2);
  EXPECT_THAT(first.err, HasSubstr("make mpi"));
  const CommandResult other = run_as("1", "3");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, IsEmpty());
  EXPECT_EQ(run_as("0", "1").exit_code, 0);  // one process needs no plug-in
  const CommandResult batch =
      test::run_program(with({"/usr/bin/env", "SLURM_NTASKS=3", "SLURM_PROCID=1"}, command));
  EXPECT_EQ(batch.exit_code, 0);  // a plain batch script
}

}  // namespace
}  // namespace assay
