// Files from strangers, and limits of the system, through the whole command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "image_hub.h"
#include "io/npy.h"
#include "run_command.h"

namespace assay {
namespace {

using test::CommandResult;
using test::run_assay;
using test::run_program;
using test::write_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

std::string nested() { return std::string(100'000, '[') + std::string(100'000, ']'); }

class HostileFiles : public test::HubTest {
 protected:
  static void expect_refused(const CommandResult& result, const std::string& words) {
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(words));
  }
};

TEST_F(HostileFiles, JsonNestedWithoutEndIsRefusedByEveryCommand) {
  write_text(file("truth.csv"), "name,accuracy\ngood,1\nfair,2\n");
  write_text(file("deep.json"), R"({"command": "rank", "models": [{"name": "a", "va": )" +
                                    nested() + R"(, "scores": )" + nested() + "}]}");
  const std::string deep = file("deep.json").string();
  expect_refused(run_assay({"evaluate", "--scores", deep, "--truth", file("truth.csv")}),
                 "deep.json");
  expect_refused(run_assay({"curve", hub_, "--labels", labels_, "--epsilon", "from:" + deep}),
                 "deep.json");
  expect_refused(run_assay({"report", deep, "--html", file("page.html")}), "");
  fs::create_directory(file("networks"));
  write_text(file("networks") / "hub.json", R"([{"name": "a", "file": )" + nested() + "}]");
  expect_refused(run_assay({"hub", "check", file("networks")}), "hub.json");
}

TEST_F(HostileFiles, PipesAndDevicesAreRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file("pipe.npy").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(file("pipe.txt").c_str(), 0600), 0);
  fs::create_directory(file("networks"));
  ASSERT_EQ(::mkfifo((file("networks") / "hub.json").c_str(), 0600), 0);
  expect_refused(rank(file("pipe.npy"), labels_, {}), "a pipe");
  expect_refused(rank(hub_, file("pipe.txt"), {}), "a pipe");
  expect_refused(run_assay({"hub", "check", file("networks")}), "a pipe");
  write_text(file("truth.csv"), "name,accuracy\ngood,1\nfair,2\n");
  expect_refused(run_assay({"evaluate", "--scores", "/dev/zero", "--truth", file("truth.csv")}),
                 "a device");
}

TEST_F(HostileFiles, OneBadEntryDoesNotEndTheHub) {
  fs::create_symlink("loop.npy", hub_ / "loop.npy");
  const CommandResult result = rank({"--metric", "logme"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("'loop' left out"));
  EXPECT_THAT(result.out, HasSubstr("good"));
}

TEST_F(HostileFiles, NamesAreShownToTerminalsAndSpreadsheetsNotObeyed) {
  write_npy(hub_ / "e\x1b[2J.npy", test::hub_features(1.0));
  write_npy(hub_ / "=cmd.npy", test::hub_features(1.5));
  const CommandResult result = rank({"--metric", "logme", "--csv", file("out.csv")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("e\\x1b[2J"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(test::read_text(file("out.csv")),
              AllOf(HasSubstr("\n'=cmd,"), Not(HasSubstr("\n=cmd"))));
  const CommandResult bad = run_assay({"rank", file("x\x1b[2J.npy"), "--labels", labels_});
  EXPECT_THAT(bad.err, AllOf(HasSubstr("\\x1b[2J"), Not(HasSubstr("\x1b"))));
}

TEST_F(HostileFiles, AFileWhoseNameBeginsWithADashGetsAHint) {
  const CommandResult result =
      run_program({"/bin/sh", "-c",
                   "cd '" + hub_.string() + "' && cp good.npy ./-dash.npy && '" +
                       ASSAY_COMMAND "' rank -dash.npy --labels '" + labels_.string() + "'"});
  expect_refused(result, "write ./-dash.npy");
}

TEST_F(HostileFiles, ResultsKeepTheUsersMaskAndLimits) {
  const std::string command = std::string("'") + ASSAY_COMMAND + "' rank '" + hub_.string() +
                              "' --labels '" + labels_.string() + "' --metric logme --json '" +
                              file("r.json").string() + "'";
  EXPECT_EQ(run_program({"/bin/sh", "-c", "umask 077; " + command}).exit_code, 0);
  EXPECT_EQ(fs::status(file("r.json")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  fs::remove(file("r.json"));
  expect_refused(run_program({"/bin/sh", "-c", "ulimit -f 1; " + command}), "r.json");
  for (const std::string& name : test::entries_of(folder_.path()))
    EXPECT_THAT(name, Not(HasSubstr("r.json")));
}

TEST_F(HostileFiles, Hdf5IsReadByAnotherProcessWithTheSameResult) {
  const fs::path seeds = fs::path(ASSAY_TEST_DATA) / "fuzz" / "corpus" / "hdf5";
  write_text(file("y.txt"), "0\n1\n1\n");
  const CommandResult sound =
      rank(seeds / "chunked.h5", file("y.txt"), {"--metric", "logme", "--ci", "0"});
  EXPECT_EQ(sound.exit_code, 0) << sound.err;
  fs::copy_file(seeds / "chunked.h5", file("cut.h5"));
  fs::resize_file(file("cut.h5"), 1000);
  expect_refused(rank(file("cut.h5"), file("y.txt"), {"--metric", "logme"}), "cut.h5");
}

class HostileHub : public test::ImageHub {};

TEST_F(HostileHub, WritesNothingOutsideTheFolderItWasGiven) {
  write_text(hub_ / "hub.json", "[]");
  fs::copy_file(test::golden("net/tiny.pt"), hub_ / "x.pt");
  write_text(hub_ / "hub.json",
             R"([{"name": "../../escaped", "file": "x.pt", "input_size": 8, "classes": 0}])");
  const fs::path out = folder_ / "a" / "b";
  fs::create_directories(out);
  const CommandResult result = run_assay({"extract", hub_, "--data", data_, "--out", out});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("plain name"));
  EXPECT_FALSE(fs::exists(folder_ / "escaped"));
}

TEST_F(HostileHub, CheckSaysThatTorchScriptIsAProgram) {
  add("tiny", "tiny.pt", 0);
  const CommandResult result = run_assay({"hub", "check", hub_});
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("programs that run with your rights"), HasSubstr("tiny.pt")));
}

}  // namespace
}  // namespace assay
