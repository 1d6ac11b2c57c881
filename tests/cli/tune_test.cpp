// Tests: tune/teachers, tune/tune_hub, tune/write_tuned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include "../io/files.h"
#include "assay/digest.h"
#include "core/random.h"
#include "image_hub.h"
#include "io/npy.h"
#include "io/npz.h"
#include "net/open_network.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::golden;
using test::json_of;
using test::run_assay;
using test::write_text;
using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

// Whole commands; see ImageHub.
class TuneCommand : public test::ImageHub {
 protected:
  void SetUp() override {
    ImageHub::SetUp();
    if (IsSkipped()) return;
    for (const std::string name : {"tiny", "padded", "fixed"}) add(name, name + ".pt");
  }

  // What `options` does not say is small.
  Words words(const Words& options) const {
    Words out = {"tune", hub_.string(), "--data", data_.string()};
    const std::pair<std::string, std::string> usual[] = {
        {"--target", "tiny"}, {"--views", "2"}, {"--epochs", "3"}, {"--batch-size", "16"}};
    for (const auto& [name, value] : usual) {
      if (std::ranges::find(options, name) == options.end()) out.insert(out.end(), {name, value});
    }
    out.insert(out.end(), options.begin(), options.end());
    return out;
  }
  test::CommandResult tune(const Words& options) const { return run_assay(words(options)); }
  json tuned(Words options) const {
    options.insert(options.end(), {"--json", "-"});
    return json_of(tune(options));
  }
};

std::vector<double> losses(const json& run) {
  std::vector<double> out;
  for (const json& epoch : run.at("epochs")) out.push_back(epoch.at("train_loss"));
  return out;
}

TEST_F(TuneCommand, ComparesAllMethodsOverSeeds) {
  add("twin", "tiny.pt");
  const json all = tuned({"--method", "all", "--runs", "2", "--teachers", "all", "--lambda",
                          "b-tuning:100,distill:1,prior:10"});
  EXPECT_EQ(all.at("command"), "tune");
  EXPECT_EQ(all.at("target"), "tiny");
  EXPECT_EQ(all.at("train").get<Index>() + all.at("validation").get<Index>(), kTrain);
  EXPECT_EQ(all.at("test"), kTest);
  EXPECT_EQ(all.at("ranking").size(), 4U);
  double weights = 0.0;
  EXPECT_EQ(all.at("teacher_sets").at(0).at("teachers").size(), 4U);  // the target is one of them
  for (const json& one : all.at("teacher_sets").at(0).at("teachers"))
    weights += one.at("weight").get<double>();
  EXPECT_NEAR(weights, 1.0, 1e-12);
  Words methods;
  for (const json& one : all.at("summary")) {
    methods.push_back(one.at("method"));
    EXPECT_EQ(one.at("runs").size(), 2U);
    EXPECT_EQ(one.at("against_finetune").is_null(), methods.back() == "finetune");
  }
  EXPECT_THAT(methods, ElementsAre("finetune", "distill", "b-tuning", "zoo", "prior"));
  ASSERT_EQ(all.at("runs").size(), 10U);
  for (const json& run : all.at("runs")) {
    EXPECT_EQ(run.at("epochs").size(), 3U);
    EXPECT_EQ(run.at("epochs").at(0).at("bayes_loss").is_null(), run.at("method") != "b-tuning");
    EXPECT_GE(run.at("test_accuracy"), 0.0);
  }
  EXPECT_TRUE(all.contains("provenance"));
  EXPECT_TRUE(fs::is_empty(folder_ / "cache" / "tune"));  // no checkpoints are left
}

TEST_F(TuneCommand, LambdaOfZeroIsFineTuningAndTeachersNeverChange) {
  const std::string before = file_digest(hub_ / "padded.pt") + file_digest(hub_ / "fixed.pt");
  const json plain = tuned({"--method", "finetune", "--out", (folder_ / "plain").string()});
  const json zero =
      tuned({"--method", "b-tuning", "--lambda", "0", "--out", (folder_ / "zero").string()});
  EXPECT_EQ(losses(plain.at("runs").at(0)), losses(zero.at("runs").at(0)));
  EXPECT_EQ(file_digest(folder_ / "plain" / "tiny-finetune-seed0.pt"),
            file_digest(folder_ / "zero" / "tiny-b-tuning-seed0.pt"));
  const json taught = tuned({"--method", "b-tuning", "--lambda", "100"});
  EXPECT_NE(losses(taught.at("runs").at(0)), losses(plain.at("runs").at(0)));
  EXPECT_EQ(file_digest(hub_ / "padded.pt") + file_digest(hub_ / "fixed.pt"), before);
}

TEST_F(TuneCommand, TheTunedNetworkIsAHubOfItsOwn) {
  const fs::path out = folder_ / "tuned";
  const json all =
      tuned({"--out", out.string(), "--epochs", "20", "--lr", "0.01", "--lambda", "10"});
  // Its own head on the test images, through the inference plug-in, by hub.json.
  const json run = all.at("runs").at(0);
  const fs::path extracted = folder_ / "extracted";
  ASSERT_EQ(run_assay({"extract", out.string(), "--data", data_.string(), "--split", "test",
                       "--out", extracted.string()})
                .exit_code,
            0);
  const Array probabilities = open_npy(extracted / "tiny-b-tuning-seed0" / "probs.npy");
  ASSERT_EQ(probabilities.shape, (std::vector<Index>{kTest, 2}));
  double right = 0.0;
  for (Index i = 0; i < kTest; ++i) {
    const bool second = number_at(probabilities, 2 * i + 1) > number_at(probabilities, 2 * i);
    right += (second ? 1 : 0) == i % 2 ? 1.0 : 0.0;
  }
  EXPECT_DOUBLE_EQ(run.at("test_accuracy"), right / static_cast<double>(kTest));
  EXPECT_GE(right, 18.0);
}

TEST_F(TuneCommand, ExportsWhatPredictWouldSay) {
  const fs::path file = folder_ / "targets.npz";
  ASSERT_EQ(tune({"--teachers", "padded", "--teacher-fit", "in-sample", "--views", "1", "--epochs",
                  "0", "--targets", file.string()})
                .exit_code,
            0);
  const fs::path out = folder_ / "out";
  ASSERT_EQ(run_assay({"extract", hub_.string(), "--data", data_.string(), "--out", out.string()})
                .exit_code,
            0);
  const std::string features = (out / "padded" / "features.npy").string();
  const json predicted = json_of(run_assay({"predict", features, "--fit", features, "--labels",
                                            (out / "labels.npy").string(), "--json", "-"}));
  const Array targets = open_npz_member(file, "targets");
  ASSERT_EQ(targets.shape, (std::vector<Index>{kTrain, 1, 2}));
  EXPECT_EQ(targets.type, ElementType::f16);
  for (Index i = 0; i < kTrain; ++i) {
    const json& mean = predicted.at("predictions").at(static_cast<std::size_t>(i)).at("mean");
    for (Index c = 0; c < 2; ++c)
      EXPECT_NEAR(number_at(targets, 2 * i + c), mean.at(static_cast<std::size_t>(c)).get<double>(),
                  2e-3);
  }
  EXPECT_EQ(open_npz_member(file, "m").shape, (std::vector<Index>{2, 4}));
  EXPECT_EQ(open_npz_member(file, "labels").size(), kTrain);
}

// Killed by the system while it trains, as soon as it has left a checkpoint.
TEST_F(TuneCommand, GoesOnAfterKillMinusNineToTheSameNetwork) {
  const Words options = {"--epochs", "150",      "--lr",     "0.01",
                         "--method", "b-tuning", "--lambda", "10"};
  Words first = words(options);
  first.insert(first.end(), {"--out", (folder_ / "undisturbed").string(), "--json", "-"});
  const json undisturbed = json_of(run_assay(first));
  Words second = words(options);
  second.insert(second.end(), {"--out", (folder_ / "killed").string(), "--json", "-"});
  const pid_t child = ::fork();
  if (child == 0) {
    std::string program = ASSAY_COMMAND;
    std::vector<char*> arguments = {program.data()};
    for (std::string& word : second) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(1);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  const fs::path checkpoints = folder_ / "cache" / "tune";
  const auto checkpointed = [&] {
    for (const auto& entry : fs::directory_iterator(checkpoints))
      if (entry.path().extension() == ".npz") return true;
    return false;
  };
  int status = 0;
  while (!checkpointed() && ::waitpid(child, &status, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  const json resumed = json_of(run_assay(second));
  EXPECT_GT(resumed.at("runs").at(0).at("resumed_from"), 0);
  EXPECT_LT(resumed.at("runs").at(0).at("resumed_from"), 150);
  EXPECT_EQ(losses(resumed.at("runs").at(0)), losses(undisturbed.at("runs").at(0)));
  const std::string name = "tiny-b-tuning-seed0.pt";
  EXPECT_EQ(file_digest(folder_ / "killed" / name), file_digest(folder_ / "undisturbed" / name));
}

TEST_F(TuneCommand, SearchesAndSweepsOnRequest) {
  const json all =
      tuned({"--teachers", "sweep:1..2", "--lr", "0.01,0.0001", "--lambda", "1,100", "--runs", "2",
             "--epochs", "2", "--target", "best", "--validation", "0.3"});
  EXPECT_EQ(all.at("target"), all.at("ranking").at(0).at("name"));
  EXPECT_EQ(all.at("teacher_sets").size(), 2U);
  // Two rates, then two lambdas for each set.
  EXPECT_EQ(all.at("searched").size(), 2U + 2U * 2U);
  EXPECT_EQ(all.at("held_back_while_searching"), 18);
  EXPECT_EQ(all.at("runs").size(), 2U * 2U);
  const auto validated = [](const json& run) {
    return run.at("epochs").back().at("validation_accuracy").get<double>();
  };
  for (const json& run : all.at("runs")) {
    EXPECT_TRUE(run.at("epochs").back().at("validation_accuracy").is_null());  // all rows teach
    const json* taken = nullptr;
    double most = 0.0;
    for (const json& other : all.at("searched")) {
      if (other.at("teachers") != run.at("teachers")) continue;
      most = std::max(most, validated(other));
      if (other.at("lambda") == run.at("lambda")) taken = &other;
    }
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(validated(*taken), most);
  }
}

TEST_F(TuneCommand, FindsLambdaByHowHardThePenaltyPulls) {
  const json all = tuned({"--method", "finetune,b-tuning", "--teachers", "top:2", "--epochs", "4",
                          "--runs", "2", "--views", "1"});
  EXPECT_EQ(all.at("held_back_while_searching"), 12);
  const json& taught = all.at("summary").at(1);
  const std::vector<double> ratios = {0.0, 0.03, 0.1, 0.3, 1.0, 3.0};
  const double r = taught.at("r");
  EXPECT_TRUE(std::ranges::find(ratios, r) != ratios.end());
  EXPECT_EQ(all.at("verdict").get<std::string>().find("r = 0") != std::string::npos, r == 0.0);
  for (const json& run : all.at("runs")) {
    EXPECT_EQ(run.at("learning_rate"), all.at("runs").at(0).at("learning_rate"));
    const json& pull = run.at("epochs").back().at("gradient_ratio");
    EXPECT_EQ(pull.is_null(), run.at("lambda") == 0.0);
    if (!pull.is_null()) {
      EXPECT_GT(pull, 0.0);
    }
  }
}

TEST_F(TuneCommand, TheTargetMayTeachItself) {
  const json all = tuned({"--teachers", "tiny", "--lambda", "10"});
  EXPECT_EQ(all.at("teacher_sets").at(0).at("teachers").at(0).at("name"), "tiny");
  EXPECT_EQ(all.at("runs").size(), 1U);
}

TEST_F(TuneCommand, ABudgetChoosesTheEpochs) {
  const json all = tuned({"--method", "finetune", "--budget", "0.01"});
  EXPECT_GE(all.at("epochs"), 1);
  EXPECT_EQ(all.at("runs").at(0).at("epochs").size(), all.at("epochs"));
  EXPECT_THAT(all.at("notes").dump(), HasSubstr("epochs were chosen for 0.01 minutes"));
}

// Each image is dark or bright, and every third has a second label that means nothing.
TEST_F(TuneCommand, TunesOnSeveralLabelsPerImage) {
  for (const auto& [part, count] : {std::pair{"train", kTrain}, std::pair{"test", kTest}}) {
    std::vector<std::int64_t> labels;
    for (Index i = 0; i < count; ++i) {
      labels.push_back(i % 2);
      labels.push_back(i % 3 == 0 ? 1 : 0);
    }
    write_text(data_ / (std::string(part) + "_labels.npy"),
               test::npy("'<i8'", "(" + std::to_string(count) + ", 2)",
                         test::bytes_of<std::int64_t>(labels)));
  }
  const json all = tuned({"--method", "finetune,b-tuning", "--epochs", "10", "--lr", "0.01",
                          "--views", "1", "--lambda", "1"});
  EXPECT_EQ(all.at("quantity"), "average_precision");
  for (const json& run : all.at("runs")) {
    EXPECT_GT(run.at("test_average_precision"), 0.5);
    EXPECT_LE(run.at("test_average_precision"), 1.0);
  }
}

TEST_F(TuneCommand, TunesOnNumbers) {
  for (const std::string part : {"train", "test"})
    write_text(data_ / (part + "_labels.npy"), levels_.at(part));
  const json all = tuned({"--method", "finetune,b-tuning", "--epochs", "40", "--lr", "0.01",
                          "--views", "1", "--lambda", "1"});
  EXPECT_EQ(all.at("quantity"), "mse");
  const json& run = all.at("runs").at(0);
  // The levels are 60 to 62 and 140 to 142: their variance is about 1600.
  EXPECT_LT(run.at("test_mse"), 800.0);
  EXPECT_GT(run.at("test_mse"), 0.0);
  EXPECT_FALSE(run.contains("test_accuracy"));
}

TEST_F(TuneCommand, MeasuresTheTruthByFineTuning) {
  const fs::path csv = folder_ / "truth.csv";
  const json truth = json_of(run_assay(
      {"truth",        hub_.string(), "--data", data_.string(), "--protocol", "finetune", "--grid",
       "0.01,0.001:0", "--runs",      "2",      "--epochs",     "4",          "--views",  "1",
       "--batch-size", "16",          "--out",  csv.string(),   "--json",     "-"}));
  EXPECT_EQ(truth.at("protocol"), "finetune");
  ASSERT_EQ(truth.at("models").size(), 3U);
  for (const json& model : truth.at("models")) {
    EXPECT_EQ(model.at("runs").size(), 2U);
    EXPECT_EQ(model.at("test"), kTest);
    EXPECT_GT(model.at("dim"), 0);
  }
  EXPECT_THAT(test::read_text(csv), HasSubstr("name,accuracy,accuracy_sd,runs"));
}

TEST_F(TuneCommand, RobustProbeTrainsAndAttacksHeads) {
  const json all = json_of(run_assay({"robust", "probe", hub_.string(), "--data", data_.string(),
                                      "--epsilon", "0,0.5", "--runs", "2", "--steps", "3",
                                      "--epochs", "2", "--batch-size", "16", "--json", "-"}));
  EXPECT_EQ(all.at("command"), "robust probe");
  ASSERT_EQ(all.at("models").size(), 3U);
  for (const json& model : all.at("models")) {
    ASSERT_EQ(model.at("probes").size(), 4U);
    for (const json& probe : model.at("probes")) {
      ASSERT_EQ(probe.at("attacks").size(), 1U);
      EXPECT_LE(probe.at("attacks").at(0).at("accuracy"), probe.at("clean_accuracy"));
      EXPECT_LE(probe.at("attacks").at(0).at("accuracy"),
                probe.at("attacks").at(0).at("pgd_accuracy"));
      EXPECT_EQ(probe.at("corruptions").size(), 15U);
      for (const json& kind : probe.at("corruptions")) EXPECT_EQ(kind.size(), 5U);
      EXPECT_TRUE(probe.at("corruption_accuracy").is_number());
    }
  }
}

TEST_F(TuneCommand, RobustProbeTakesTheEpsilonThatSynbenchFindsBest) {
  const std::string hub = hub_.string();
  const test::CommandResult result =
      run_assay({"robust", "probe", hub, "--data", data_.string(), "--epsilon", "best", "--steps",
                 "3", "--epochs", "1", "--json", "-"});
  const json all = json::parse(result.out);
  const json scored = json_of(
      run_assay({"robust", "score", hub, "--samples", "1024", "--scales",
                 "0.5,1,1.5,2,2.5,3,3.5,4,4.5,5", "--threshold", "0.7,0.6,0.55", "--json", "-"}));
  ASSERT_FALSE(all.at("models").empty());
  for (const json& model : all.at("models")) {
    const auto score = std::ranges::find_if(scored.at("models"), [&](const json& other) {
      return other.at("name") == model.at("name");
    });
    json best;  // at the first threshold that has a clear one; null: none has
    for (const json& one : score->at("best_epsilons"))
      if (best.is_null()) best = one.at("epsilon");
    EXPECT_EQ(model.at("best_epsilon"), best) << model.at("name");
    EXPECT_EQ(model.at("probes").back().at("epsilon"), best.is_null() ? 0.0 : best.get<double>());
    EXPECT_EQ(model.at("probes").front().at("epsilon"), 0.0);
  }
  EXPECT_THAT(
      run_assay({"robust", "probe", hub, "--data", data_.string(), "--epsilon", "most"}).err,
      HasSubstr("--epsilon 'most'"));
}

TEST_F(TuneCommand, SaysWhatIsWrong) {
  const auto error = [&](const Words& options) {
    const test::CommandResult result = tune(options);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(error({"--target", "tinny"}), HasSubstr("did you mean 'tiny'?"));
  EXPECT_THAT(error({"--method", "magic"}), HasSubstr("'magic' is no method"));
  EXPECT_THAT(error({"--teachers", "tinny"}), HasSubstr("no network 'tinny'"));
  EXPECT_THAT(error({"--method", "zoo"}), HasSubstr("zoo mixes networks of one architecture"));
  EXPECT_THAT(error({"--lr", "-1"}), HasSubstr("are 0 or more"));
  EXPECT_THAT(error({"--lr", "1e30"}), HasSubstr("training diverged"));
  EXPECT_THAT(error({"--lr", "0.1,0.2", "--validation", "0"}), HasSubstr("rows held back"));
  EXPECT_THAT(error({"--lambda", "much"}), HasSubstr("--lambda 'much': expected auto or a number"));
}

}  // namespace
}  // namespace assay
