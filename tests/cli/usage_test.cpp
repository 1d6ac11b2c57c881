// Tests: report/provenance, io/cache_directory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using test::CommandResult;
using test::entries_of;
using test::label_lines;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

using Words = std::vector<std::string>;

class EveryLevel : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(EveryLevel, HasHelpWithAnExampleOnStdout) {
  std::vector<std::string> words = GetParam();
  words.push_back("--help");
  const CommandResult result = run_assay(words);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Usage: assay"));
  EXPECT_THAT(result.out, HasSubstr("Example"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Usage, RefusesSeedsThatAreNone) {
  for (const char* seed : {"-1", "18446744073709551616", "1.5", "x"}) {
    const CommandResult result = run_assay({"metrics", "--seed", seed});
    EXPECT_EQ(result.exit_code, 2) << seed;
    EXPECT_THAT(result.err, HasSubstr("--seed")) << seed;
  }
  EXPECT_EQ(run_assay({"metrics", "--seed", "18446744073709551615"}).exit_code, 0);
}

TEST(Usage, FailsWhenStandardOutputIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const CommandResult result =
      test::run_program({"/bin/sh", "-c", std::string(ASSAY_COMMAND) + " metrics > /dev/full"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("standard output"));
}

TEST_P(EveryLevel, RefusesAnUnknownOption) {
  std::vector<std::string> words = GetParam();
  words.push_back("--frobnicate");
  const CommandResult result = run_assay(words);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, Not(IsEmpty()));
}

INSTANTIATE_TEST_SUITE_P(Commands, EveryLevel,
                         testing::Values(Words{}, Words{"rank"}, Words{"evaluate"},
                                         Words{"predict"}, Words{"metrics"}, Words{"extract"},
                                         Words{"cache"}, Words{"truth"}, Words{"hub"},
                                         Words{"curve"}, Words{"curve", "measure"},
                                         Words{"report"}),
                         [](const auto& level) {
                           return level.param.empty() ? std::string("top") : level.param.back();
                         });

TEST(Usage, NamesTheOptionItDoesNotKnow) {
  EXPECT_THAT(run_assay({"metrics", "--frobnicate"}).err, HasSubstr("--frobnicate"));
}

// The likeliest mistakes, and what helps.
TEST(Usage, GuessesWhatWasMeant) {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"rnak", "hub"}, "assay has no command 'rnak'; did you mean 'rank'?"},
      {{"--threads", "1", "curv"}, "did you mean 'curve'?"},
      {{"prior", "scroe", "x"}, "assay prior has no command 'scroe'; did you mean 'score'?"},
      {{"prior"}, "assay prior needs a command: score, sample, probe"},
      {{"rank", "--label", "y"}, "assay rank has no option '--label'; did you mean '--labels'?"},
      {{"rank", "--metrics=logme"}, "no option '--metrics'; did you mean '--metric'?"},
      {{"rank", "hub", "--sampler", "x"}, "it belongs to: assay prior sample"},
      {{"metrics", "all"}, "assay metrics does not expect the word 'all'"},
      {{"metrics", "--threads", "0"}, "--threads: Value 0 not in range 1 to 4096"},
      {{"help", "prior", "scoe"}, "did you mean 'score'?"},
  };
  for (const auto& [words, message] : cases) {
    const CommandResult result = run_assay(words);
    EXPECT_EQ(result.exit_code, 2) << words.front();
    EXPECT_THAT(result.err, testing::StartsWith("assay: error: "));
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST(Usage, HelpIsNoWiderThanTheTerminal) {
  for (const Words& words : {Words{"--help"}, Words{"rank", "--help"}, Words{"curve", "--help"}}) {
    std::istringstream lines(run_assay(words).out);
    for (std::string line; std::getline(lines, line);) {
      const bool is_example = line.starts_with("  assay") || line.starts_with("Example: ");
      EXPECT_LE(is_example ? 0U : line.size(), 110U) << line;
    }
  }
}

TEST(Usage, HelpListsEveryCommandAndGlobalOption) {
  const std::string help = run_assay({"--help"}).out;
  for (const char* word : {"rank", "evaluate", "curve", "predict", "metrics", "--json", "--threads",
                           "--seed", "--memory-limit", "--quiet", "--version"}) {
    EXPECT_THAT(help, HasSubstr(word));
  }
}

TEST(Usage, RankHelpListsTheOptionsOfTheContract) {
  const std::string help = run_assay({"rank", "--help"}).out;
  for (const char* option :
       {"--labels", "--metric", "--by", "--ci", "--groups", "--center", "--controls", "--truth"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

TEST(Usage, CurveHelpListsTheOptionsOfTheContract) {
  const std::string help = run_assay({"curve", "--help"}).out;
  for (const char* option :
       {"--labels", "--probe", "--sizes", "--seeds", "--epsilon", "--refine", "--rule", "--certify",
        "--target-loss", "--target-accuracy", "measure"})
    EXPECT_THAT(help, HasSubstr(option));
  const std::string measure = run_assay({"curve", "measure", "--help"}).out;
  for (const char* option : {"--epsilon", "--classes", "--rule", "--loss", "--csv", "--latex"})
    EXPECT_THAT(measure, HasSubstr(option));
}

TEST(Usage, VersionIsOneLine) {
  const CommandResult result = run_assay({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, MatchesRegex("assay [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Usage, NeedsACommand) {
  const CommandResult result = run_assay({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("--help"));
}

TEST(Usage, RefusesAnUnknownCommand) {
  const CommandResult result = run_assay({"rnak", "hub"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, Not(IsEmpty()));
}

TEST(Usage, RefusesGlobalOptionsThatMakeNoSense) {
  for (const Words& words : {Words{"--threads", "0"}, Words{"--threads", "two"},
                             Words{"--seed", "x"}, Words{"--json"}}) {
    Words all = {"metrics"};
    all.insert(all.end(), words.begin(), words.end());
    const CommandResult result = run_assay(all);
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_THAT(result.err, HasSubstr(words[0]));
  }
}

TEST(Metrics, ListsLogmeWithDirectionUnitAndPaper) {
  const CommandResult result = run_assay({"metrics"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* word : {"logme", "higher", "nats/sample", "JMLR 2022"}) {
    EXPECT_THAT(result.out, HasSubstr(word));
  }
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Metrics, AreJsonToo) {
  const nlohmann::json out = test::json_of(run_assay({"--json", "-", "metrics"}));
  const nlohmann::json& metrics = out.at("metrics");
  const auto logme = std::find_if(metrics.begin(), metrics.end(), [](const nlohmann::json& metric) {
    return metric.at("name") == "logme";
  });
  ASSERT_NE(logme, metrics.end());
  EXPECT_EQ(logme->at("direction"), "higher");
  EXPECT_EQ(logme->at("unit"), "nats/sample");
  EXPECT_TRUE(logme->contains("needs"));
  EXPECT_TRUE(out.contains("provenance"));
}

class RankUsage : public test::HubTest {};

TEST_F(RankUsage, ExplainsBadUsageWithExitCodeTwo) {
  const std::string missing = file("missing").string();
  write_text(file("groups.txt"), "a\nb\n");
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--metric", "logm"}, "unknown metric 'logm'; did you mean 'logme'?"},
      {{"--by", "logm"}, "did you mean 'logme'?"},
      {{"--metric", "logme,zzzzzzzz"}, "unknown metric 'zzzzzzzz'"},
      {{"--frobnicate"}, "--frobnicate"},
      {{"--ci", "1"}, "--ci"},
      {{"--ci", "100"}, "--ci"},
      {{"--ci", "-0.5"}, "--ci"},
      {{"--groups", missing + ".txt"}, "missing.txt"},
      {{"--groups", file("groups.txt").string()}, "expected 120 group ids"},
      {{"--truth", missing + ".csv"}, "missing.csv"},
      {{"--memory-limit", "lots"}, "'lots' is not an amount of memory"},
      {{missing + ".npy"}, "missing.npy"},
  };
  for (const auto& [options, message] : cases) {
    const CommandResult result = rank(options);
    EXPECT_EQ(result.exit_code, 2) << options[0];
    EXPECT_THAT(result.out, IsEmpty()) << options[0];
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(RankUsage, RefusesAConfidenceLevelThatIsNoNumber) {
  const CommandResult result = rank({"--ci", "nan"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--ci"));
}

TEST_F(RankUsage, TakesAConfidenceLevelInPercent) {
  nlohmann::json percent = rank_json({"--ci", "95"});
  nlohmann::json share = rank_json({"--ci", "0.95"});
  EXPECT_EQ(test::lasting(percent), test::lasting(share));
  const CommandResult slip = rank({"--ci", "1.5"});  // neither a share nor what anybody asks for
  EXPECT_EQ(slip.exit_code, 2);
  EXPECT_THAT(slip.err, HasSubstr("0.95 or 95"));
}

TEST_F(RankUsage, NeedsAHubAndLabelsThatExist) {
  EXPECT_EQ(run_assay({"rank"}).exit_code, 2);
  const CommandResult unlabelled = run_assay({"rank", hub_.string()});
  EXPECT_EQ(unlabelled.exit_code, 2);
  EXPECT_THAT(unlabelled.err, HasSubstr("--labels"));
  const CommandResult no_labels = rank(hub_, file("gone.npy"), {});
  EXPECT_EQ(no_labels.exit_code, 2);
  EXPECT_THAT(no_labels.err, HasSubstr("gone.npy"));
  std::filesystem::create_directory(file("empty"));
  const CommandResult empty = rank(file("empty"), labels_, {});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("no feature files found"));
}

TEST_F(RankUsage, AFailingWriteLeavesNothingBehind) {
  const Words before = entries_of(folder_.path());
  const CommandResult nowhere = rank({"--json", (file("no") / "rank.json").string()});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("rank.json"));
  const CommandResult onto_folder = rank({"--json", hub_.string()});
  EXPECT_EQ(onto_folder.exit_code, 2);
  const CommandResult csv = rank({"--csv", (file("no") / "rank.csv").string()});
  EXPECT_EQ(csv.exit_code, 2);
  EXPECT_EQ(entries_of(folder_.path()), before);
}

TEST_F(RankUsage, SaysWhatMemoryItWouldNeed) {
  const CommandResult result = rank({"--memory-limit", "1MiB"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("the limit is 1.0 MiB; raise --memory-limit"));
  EXPECT_EQ(rank({"--memory-limit", "1GiB"}).exit_code, 0);
}

TEST_F(RankUsage, QuietSilencesNotes) {
  std::string lines = label_lines({"a", "b", "c"});
  lines[0] = 'd';  // a class of one sample
  write_text(file("rare.txt"), lines);
  EXPECT_THAT(rank(hub_, file("rare.txt"), {}).err, HasSubstr("fewer than 3 samples"));
  const CommandResult quiet = rank(hub_, file("rare.txt"), {"--quiet"});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_THAT(quiet.err, IsEmpty());
  EXPECT_THAT(quiet.out, Not(IsEmpty()));
}

}  // namespace
}  // namespace assay
