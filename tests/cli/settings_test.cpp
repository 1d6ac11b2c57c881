#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using test::CommandResult;
using test::json_of;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;

// A settings file that the environment names, as users do.
class Settings : public test::HubTest {
 protected:
  ~Settings() override { ::unsetenv("ASSAY_CONFIG"); }

  void keep(const std::string& text) const {
    write_text(file_, text);
    ::setenv("ASSAY_CONFIG", file_.c_str(), 1);
  }

  static nlohmann::json setting(const std::vector<std::string>& words, std::size_t number) {
    return json_of(run_assay(words)).at("settings").at(number);
  }

  Path file_ = folder_ / "config";
};

TEST_F(Settings, ComeFromTheFileUnlessAnOptionSaysOtherwise) {
  keep("threads = 3\n# enough\nmemory-limit = 1GiB\n");
  EXPECT_EQ(setting({"config", "--json", "-"}, 0),
            nlohmann::json({{"name", "threads"}, {"value", "3"}, {"from", "file"}}));
  EXPECT_EQ(setting({"config", "--json", "-"}, 1).at("value"), "1GiB");
  const nlohmann::json given = setting({"config", "--json", "-", "--threads", "2"}, 0);
  EXPECT_EQ(given.at("value"), "2");
  EXPECT_EQ(given.at("from"), "option");
}

TEST_F(Settings, AreInTheProvenanceOfResults) {
  keep("threads = 1\n");
  const nlohmann::json provenance = json_of(run_assay({"metrics", "--json", "-"})).at("provenance");
  EXPECT_EQ(provenance.at("settings").at("threads").at("from"), "file");
}

TEST_F(Settings, TakeEffect) {
  keep("memory-limit = 1MiB\n");
  const CommandResult result = rank({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("the limit is 1.0 MiB"));
}

TEST_F(Settings, ThatAreNoneAreRefused) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"thread = 2\n", "did you mean 'threads'"},
           {"threads = many\n", "whole number from 1 to 4096"},
           {"threads = 0\n", "whole number from 1 to 4096"},
           {"memory-limit = lots\n", "'lots'"}}) {
    keep(text);
    const CommandResult result = run_assay({"metrics"});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  ::setenv("ASSAY_CONFIG", (folder_ / "gone").c_str(), 1);
  EXPECT_EQ(run_assay({"metrics"}).exit_code, 2);
}

TEST(Doctor, NamesWhatItFound) {
  const CommandResult result = run_assay({"doctor"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* word : {"version", "OpenBLAS", "vector loops", "memory", "cache"})
    EXPECT_THAT(result.out, HasSubstr(word));
  EXPECT_GT(json_of(run_assay({"doctor", "--json", "-"})).at("findings").size(), 5U);
}

TEST(Completion, KnowsEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const CommandResult result = run_assay({"completion", shell});
    EXPECT_EQ(result.exit_code, 0);
    for (const char* word : {"rank", "prior", "sample", "labels", "memory-limit", "ncc_loo"})
      EXPECT_THAT(result.out, HasSubstr(word)) << shell;
  }
  EXPECT_EQ(run_assay({"completion", "cmd"}).exit_code, 2);
}

// What the shell itself offers after `assay WORDS...`, the last of them unfinished.
std::string offered(const std::string& words) {
  const std::string script =
      "source <(" + std::string(ASSAY_COMMAND) + " completion bash); COMP_WORDS=(" + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _assay; echo \"${COMPREPLY[*]}\"";
  return test::run_program({"/bin/bash", "-c", script}).out;
}

TEST(Completion, OfBashOffersWhatFits) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "no bash here";
  EXPECT_EQ(offered("assay ra"), "rank\n");
  EXPECT_EQ(offered("assay prior sa"), "sample\n");
  EXPECT_EQ(offered("assay rank hub --lab"), "--labels\n");
  EXPECT_EQ(offered("assay rank hub --memory"), "--memory-limit\n");
  EXPECT_EQ(offered("assay rank hub --center a"), "auto\n");
  EXPECT_EQ(offered("assay rank hub --metric ncc"), "ncc_loo\n");
}

TEST(Manual, HasAPagePerCommand) {
  const test::TemporaryDirectory folder;
  ASSERT_EQ(run_assay({"man", "--out", (folder / "man1").string()}).exit_code, 0);
  const std::string page = test::read_text(folder / "man1" / "assay-prior-score.1");
  EXPECT_THAT(page, HasSubstr(".SH OPTIONS"));
  EXPECT_THAT(page, HasSubstr("\\-\\-temperature"));
  EXPECT_EQ(run_assay({"man", "prior", "score"}).out, page);
  EXPECT_EQ(run_assay({"man", "nothing"}).exit_code, 2);
}

TEST(Help, IsTheSameByEitherWay) {
  EXPECT_EQ(run_assay({"help", "rank"}).out, run_assay({"rank", "--help"}).out);
  EXPECT_EQ(run_assay({"help", "prior", "score"}).out, run_assay({"prior", "score", "--help"}).out);
  EXPECT_EQ(run_assay({"help"}).out, run_assay({"--help"}).out);
  EXPECT_EQ(run_assay({"version"}).out, run_assay({"-V"}).out);
}

}  // namespace
}  // namespace assay
