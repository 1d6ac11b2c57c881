#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "run_command.h"

namespace assay {
namespace {

using test::CommandResult;
using test::run_assay;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

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

TEST_P(EveryLevel, RefusesAnUnknownOption) {
  std::vector<std::string> words = GetParam();
  words.push_back("--frobnicate");
  const CommandResult result = run_assay(words);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, Not(IsEmpty()));
}

using Words = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(Commands, EveryLevel,
                         testing::Values(Words{}, Words{"rank"}, Words{"evaluate"},
                                         Words{"predict"}, Words{"metrics"}),
                         [](const auto& level) {
                           return level.param.empty() ? std::string("top") : level.param.front();
                         });

TEST(Usage, NamesTheOptionItDoesNotKnow) {
  EXPECT_THAT(run_assay({"metrics", "--frobnicate"}).err, HasSubstr("--frobnicate"));
}

TEST(Usage, HelpListsEveryCommandAndGlobalOption) {
  const std::string help = run_assay({"--help"}).out;
  for (const char* word : {"rank", "evaluate", "predict", "metrics", "--json", "--threads",
                           "--seed", "--memory-limit", "--quiet", "--version"}) {
    EXPECT_THAT(help, HasSubstr(word));
  }
}

TEST(Usage, RankHelpListsTheOptionsOfTheContract) {
  const std::string help = run_assay({"rank", "--help"}).out;
  for (const char* option : {"--labels", "--metric", "--by", "--ci", "--groups", "--center",
                             "--controls", "--truth"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
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
  const nlohmann::json json = test::json_of(run_assay({"--json", "-", "metrics"}));
  const nlohmann::json& metrics = json.at("metrics");
  const auto logme = std::find_if(metrics.begin(), metrics.end(), [](const nlohmann::json& metric) {
    return metric.at("name") == "logme";
  });
  ASSERT_NE(logme, metrics.end());
  EXPECT_EQ(logme->at("direction"), "higher");
  EXPECT_EQ(logme->at("unit"), "nats/sample");
  EXPECT_TRUE(logme->contains("needs"));
  EXPECT_TRUE(json.contains("provenance"));
}

}  // namespace
}  // namespace assay
