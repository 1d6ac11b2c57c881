#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using test::CommandResult;
using test::read_text;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

// Where commands write to.
class Outputs : public test::HubTest {
 protected:
  std::string path(const std::string& name) const { return file(name).string(); }
  std::string model(const std::string& name) const { return (hub_ / name).string(); }

  // The command ends with exit code 2 and leaves the file as it was.
  void expect_refused(const Words& words, const std::string& input) const {
    const std::string before = read_text(input);
    const CommandResult result = run_assay(words);
    EXPECT_EQ(result.exit_code, 2) << words[0];
    EXPECT_THAT(result.err, HasSubstr("is an input and would be overwritten")) << words[0];
    EXPECT_EQ(read_text(input), before) << words[0];
  }
};

TEST_F(Outputs, NeverOverwriteAnInput) {
  const std::string good = model("good.npy");
  const std::string labels = labels_.string();
  write_text(path("truth.csv"), "name,accuracy\ngood,0.9\nfair,0.8\npoor,0.5\n");
  write_text(path("scores.csv"), "name,knn\ngood,0.9\nfair,0.8\npoor,0.5\n");
  write_text(path("curve.csv"), "name,seed,samples,val_loss\na,0,10,1.0\na,0,100,0.5\n");
  const std::string hub = hub_.string();
  expect_refused({"rank", hub, "--labels", labels, "--csv", labels}, labels);
  expect_refused({"truth", hub, "--labels", labels, "--out", good}, good);
  expect_refused({"predict", good, "--fit", good, "--labels", labels, "--out", labels}, labels);
  expect_refused({"curve", hub, "--labels", labels, "--csv", labels}, labels);
  expect_refused({"curve", hub, "--labels", labels, "--latex", good}, good);
  expect_refused(
      {"curve", "measure", path("curve.csv"), "--classes", "3", "--csv", path("curve.csv")},
      path("curve.csv"));
  expect_refused({"evaluate", "--scores", path("scores.csv"), "--truth", path("truth.csv"),
                  "--json", path("truth.csv")},
                 path("truth.csv"));
  expect_refused({"prior", "score", good, "--prior", "labels:" + labels, "--json", labels}, labels);
  expect_refused({"prior", "sample", good, "--out", good}, good);
  expect_refused(
      {"prior", "probe", model("fair.npy"), "--tasks", good, "--prior", good, "--json", good},
      good);
  write_text((hub_ / "hub.json").string(), "[]");
  expect_refused({"hub", "check", hub, "--json", model("hub.json")}, model("hub.json"));
}

TEST_F(Outputs, OfADashGoToStdoutAlone) {
  const std::string labels = labels_.string();
  const std::string hub = hub_.string();
  const std::string good = model("good.npy");
  const CommandResult truth =
      run_assay({"truth", hub, "--labels", labels, "--runs", "1", "--out", "-"});
  EXPECT_THAT(truth.out, StartsWith("name,accuracy,accuracy_sd,"));
  const CommandResult predicted =
      run_assay({"predict", good, "--fit", good, "--labels", labels, "--out", "-"});
  EXPECT_THAT(predicted.out, StartsWith("row,"));
  write_text(path("curve.csv"), "name,seed,samples,val_loss\na,0,10,1.0\na,0,100,0.5\n");
  for (const char* option : {"--csv", "--latex"}) {
    const CommandResult curve =
        run_assay({"curve", "measure", path("curve.csv"), "--classes", "3", option, "-"});
    EXPECT_EQ(curve.exit_code, 0);
    EXPECT_EQ(curve.out.find("↓"), std::string::npos);  // no table
    EXPECT_THAT(curve.out, HasSubstr("a"));
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(Outputs, RefuseToShareStdout) {
  const CommandResult result = run_assay(
      {"truth", hub_.string(), "--labels", labels_.string(), "--out", "-", "--json", "-"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("both want stdout"));
}

}  // namespace
}  // namespace assay
