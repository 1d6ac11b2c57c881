#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "../io/files.h"
#include "assay/features.h"
#include "core/random.h"
#include "image_hub.h"
#include "net/open_network.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::golden;
using test::json_of;
using test::lasting;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;

// Whole commands on a network of 131 parameters; see ImageHub.
class NetworkCommands : public test::ImageHub {
 protected:
  void SetUp() override {
    ImageHub::SetUp();
    if (!IsSkipped()) add("tiny", "tiny.pt", 3);
  }

  test::CommandResult run(std::vector<std::string> words, const std::vector<std::string>& options) {
    words.insert(words.end(), {hub_.string(), "--data", data_.string()});
    words.insert(words.end(), options.begin(), options.end());
    return run_assay(words);
  }
};

TEST_F(NetworkCommands, RankRunsTheNetworkOnceAndKeepsWhatItGives) {
  const std::vector<std::string> options = {"--metric", "logme,leep", "--ci", "0", "--json", "-"};
  const json first = json_of(run({"rank"}, options));
  const json& model = first.at("models").at(0);
  EXPECT_EQ(model.at("name"), "tiny");
  EXPECT_EQ(model.at("n"), kTrain);
  EXPECT_EQ(model.at("dim"), 4);
  EXPECT_GT(model.at("latency_ms"), 0.0);
  EXPECT_TRUE(model.at("pareto"));
  EXPECT_TRUE(model.at("scores").contains("leep"));  // by the source probabilities
  const json entries = json_of(run_assay({"cache", "list", "--json", "-"})).at("entries");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(lasting(first), lasting(json_of(run({"rank"}, options))));
}

TEST_F(NetworkCommands, TruthAndCurveUseBothPartsOfTheData) {
  const json truth = json_of(run({"truth"}, {"--json", "-"}));
  EXPECT_EQ(truth.at("models").at(0).at("train"), kTrain);
  EXPECT_EQ(truth.at("models").at(0).at("test"), kTest);
  const std::vector<std::string> options = {"--sizes", "10,40,60", "--seeds", "2", "--json", "-"};
  const json curve = json_of(run({"curve"}, options));
  const json& model = curve.at("models").at(0);
  EXPECT_EQ(model.at("name"), "tiny");
  ASSERT_EQ(model.at("curve").size(), 3U);
  EXPECT_EQ(model.at("curve").at(2).at("n"), kTrain);
  // The same as from files.
  const fs::path out = folder_ / "out";
  const fs::path held = folder_ / "held";
  EXPECT_EQ(run({"extract"}, {"--out", out.string()}).exit_code, 0);
  EXPECT_EQ(run({"extract"}, {"--split", "test", "--out", held.string()}).exit_code, 0);
  std::vector<std::string> words = {"curve",
                                    (out / "tiny").string(),
                                    "--labels",
                                    (out / "labels.npy").string(),
                                    "--validation",
                                    (held / "tiny").string(),
                                    "--validation-labels",
                                    (held / "labels.npy").string()};
  words.insert(words.end(), options.begin(), options.end());
  EXPECT_EQ(json_of(run_assay(words)).at("models").at(0).at("curve"), model.at("curve"));
}

TEST_F(NetworkCommands, CurveWantsEitherLabelsOrData) {
  const auto error = run({"curve"}, {"--labels", (data_ / "train_labels.npy").string()});
  EXPECT_EQ(error.exit_code, 2);
  EXPECT_THAT(error.err, HasSubstr("--data brings its own labels"));
}

TEST_F(NetworkCommands, RobustScoresTheNetworkWithoutData) {
  const json result = json_of(run_assay({"robust", "score", hub_.string(), "--samples", "64",
                                         "--scales", "1,4", "--epsilon", "0", "--json", "-"}));
  const json& model = result.at("models").at(0);
  EXPECT_EQ(model.at("name"), "tiny");
  EXPECT_EQ(model.at("dim"), 4);
  EXPECT_EQ(model.at("train"), 64);
  EXPECT_EQ(model.at("scales"), json({1.0, 4.0}));
}

TEST_F(NetworkCommands, BothBackendsGiveTheSameFeatures) {
  if (!find_plugin(Backend::onnx)) GTEST_SKIP() << missing_plugin_message(Backend::onnx);
  add("tiny_onnx", "tiny.onnx", 3);
  const fs::path out = folder_ / "out";
  const auto result = run({"extract"}, {"--out", out.string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto values = [&](const char* name) {
    const Rows rows = open_features(out / name / "features.npy");
    std::vector<Index> all(static_cast<std::size_t>(rows->rows()));
    std::iota(all.begin(), all.end(), 0);
    Matrix matrix(rows->cols(), rows->rows());
    rows->read(all, matrix.data());
    return matrix;
  };
  const Matrix torch = values("tiny");
  EXPECT_LT((torch - values("tiny_onnx")).cwiseAbs().maxCoeff(),
            1e-5 * torch.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace assay
