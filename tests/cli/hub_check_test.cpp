// Tests: extract/check_networks, extract/check_report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "net/open_network.h"
#include "run_command.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using test::CommandResult;
using test::golden;
using test::json_of;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The plug-ins of the build lie beside the command, in the folder above the tests: what the tests
// find, the command finds.
class HubCheckCommand : public testing::Test {
 protected:
  void add(const std::string& network) const {
    fs::copy_file(golden("net/" + network), folder_ / network);
  }
  CommandResult check(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {"hub", "check", folder_.path().string()};
    words.insert(words.end(), options.begin(), options.end());
    return run_assay(words);
  }
  static bool has(Backend backend) { return find_plugin(backend).has_value(); }

  test::TemporaryDirectory folder_;
};

TEST_F(HubCheckCommand, ShowsWhatEveryNetworkIs) {
  if (!has(Backend::torchscript)) GTEST_SKIP() << missing_plugin_message(Backend::torchscript);
  add("tiny.pt");
  write_text(folder_ / "hub.json",
             R"([{"name": "tiny", "file": "tiny.pt", "input_size": 8, "feature_dim": 4,
                  "classes": 3, "params": 131, "licence": "MIT"}])");
  const CommandResult table = check();
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.err, HasSubstr("programs that run with your rights"));
  for (const char* word : {"network", "tiny", "torchscript", "8x8", "131", "MIT", "ok"})
    EXPECT_THAT(table.out, HasSubstr(word));
  const nlohmann::json network = json_of(check({"--json", "-"})).at("networks").at(0);
  EXPECT_EQ(network.at("feature_dim"), 4);
  EXPECT_EQ(network.at("classes"), 3);
  EXPECT_EQ(network.at("layers"), nlohmann::json::array({"early"}));
  EXPECT_EQ(network.at("status"), "ok");
}

TEST_F(HubCheckCommand, FailsForWhatIsNotAsDescribedAndShowsTheRest) {
  if (!has(Backend::torchscript)) GTEST_SKIP() << missing_plugin_message(Backend::torchscript);
  add("tiny.pt");
  add("fixed.pt");
  write_text(folder_ / "damaged.pt", "no network");
  write_text(folder_ / "hub.json", R"([
    {"name": "good", "file": "tiny.pt", "input_size": 8},
    {"name": "dim", "file": "tiny.pt", "input_size": 8, "feature_dim": 5},
    {"name": "classes", "file": "tiny.pt", "input_size": 8, "classes": 1000},
    {"name": "size", "file": "fixed.pt", "input_size": 16},
    {"name": "headless", "file": "fixed.pt", "input_size": 8, "classes": 10},
    {"name": "hash", "file": "tiny.pt", "input_size": 8,
     "sha256": "0000000000000000000000000000000000000000000000000000000000000000"},
    {"name": "gone", "file": "gone.pt"},
    {"name": "damaged", "file": "damaged.pt"},
    {"name": "key", "file": "tiny.pt", "std": [0, 0, 0]}])");
  const CommandResult result = check({"--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const nlohmann::json out = json_of(result);
  EXPECT_THAT(out.at("networks"), SizeIs(8));
  ASSERT_THAT(out.at("failed"), SizeIs(8));
  const auto error = [&](const std::string& name) -> std::string {
    for (const nlohmann::json& failed : out.at("failed")) {
      if (failed.at("name") == name) return failed.at("error");
    }
    return "(none)";
  };
  EXPECT_EQ(error("good"), "(none)");
  EXPECT_THAT(error("dim"), HasSubstr("gives 4 features, hub.json says 'feature_dim' = 5"));
  EXPECT_THAT(error("classes"), HasSubstr("gives 3 logits, hub.json says 'classes' = 1000"));
  EXPECT_THAT(error("size"), HasSubstr("fixed.pt: failed on images of 3 x 16 x 16"));
  EXPECT_THAT(error("headless"), HasSubstr("has no source logits"));
  EXPECT_THAT(error("hash"), HasSubstr("SHA-256 is"));
  EXPECT_THAT(error("gone"), HasSubstr("gone.pt: no such file"));
  EXPECT_THAT(error("damaged"), HasSubstr("damaged.pt: cannot be opened as torchscript"));
  EXPECT_THAT(error("key"), HasSubstr("'std' must be 3 numbers above 0"));
}

TEST_F(HubCheckCommand, NotesWhatItAssumes) {
  if (!has(Backend::onnx)) GTEST_SKIP() << missing_plugin_message(Backend::onnx);
  add("tiny.onnx");
  fs::remove(folder_ / "hub.json");
  const CommandResult result = check();
  EXPECT_THAT(result.err, HasSubstr("no hub.json describes it; assuming 224 px"));
}

// Needs no plug-in.
TEST_F(HubCheckCommand, HasNothingToShowWithoutNetworks) {
  const CommandResult result = check();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no networks found"));
  EXPECT_EQ(run_assay({"hub"}).exit_code, 2);
  EXPECT_EQ(run_assay({"hub", "check"}).exit_code, 2);
  write_text(folder_ / "hub.json", "{");
  EXPECT_THAT(check().err, HasSubstr("hub.json: not valid JSON"));
}

TEST_F(HubCheckCommand, NothingUsableIsBadInput) {
  write_text(folder_ / "hub.json", R"([{"file": "gone.pt"}])");
  const CommandResult result = check();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, HasSubstr("failed"));
  EXPECT_THAT(result.err, HasSubstr("gone.pt: no such file"));
}

// An environment variable for the commands a test starts.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  Variable(Variable&&) = delete;
  Variable& operator=(Variable&&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST_F(HubCheckCommand, RefusesAPluginThatIsNone) {
  const test::TemporaryDirectory plugins;
  write_text(plugins / "libassay_torch.so", "no library");
  const Variable folder("ASSAY_PLUGINS", plugins.path().string());
  add("tiny.pt");
  const CommandResult result = check();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("libassay_torch.so"));
  EXPECT_THAT(result.err, HasSubstr("make torch"));
}

TEST_F(HubCheckCommand, SaysHowToGetAMissingPlugin) {
  // A copy of the command has no plug-ins beside it.
  const test::TemporaryDirectory elsewhere;
  fs::create_directory(elsewhere / "bin");
  fs::copy_file(ASSAY_COMMAND, elsewhere / "bin" / "assay");
  const Variable folder("ASSAY_PLUGINS", "");
  add("tiny.pt");
  const CommandResult result = test::run_program(
      {(elsewhere / "bin" / "assay").string(), "hub", "check", folder_.path().string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, HasSubstr("not run"));
  EXPECT_THAT(result.err, HasSubstr("build it with `make torch`"));
}

}  // namespace
}  // namespace assay
