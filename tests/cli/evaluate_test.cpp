#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

// The example of docs/guide/evaluate.md: values worked out there.
constexpr const char* kScores =
    "name,logme,linear_valid\n"
    "resnet50,0.61,0.17\nresnet18,0.48,0.24\nvit_small,0.66,0.15\n"
    "mobilenet,0.52,0.22\ndensenet,0.64,\nefficientnet,0.59,0.19\n";
constexpr const char* kTruth =
    "name,accuracy,params,latency\n"
    "resnet50,86.2,25.6,9\nresnet18,79.5,11.7,20\nvit_small,88.0,22.1,8\nmobilenet,80.1,3.5,19\n"
    "densenet,88.9,8.0,7\nswin_tiny,90.3,28.3,6\nefficientnet,84.4,5.3,12\n";

class EvaluateCommand : public testing::Test {
 protected:
  CommandResult evaluate(const std::string& scores, const std::string& truth,
                         const Words& options) const {
    write_text(folder_ / "scores.csv", scores);
    write_text(folder_ / "truth.csv", truth);
    Words words = {"evaluate", "--scores", (folder_ / "scores.csv").string(), "--truth",
                   (folder_ / "truth.csv").string()};
    words.insert(words.end(), options.begin(), options.end());
    return run_assay(words);
  }
  json evaluate_json(const std::string& scores, const std::string& truth, Words options) const {
    options.insert(options.end(), {"--json", "-"});
    const CommandResult result = evaluate(scores, truth, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json_of(result);
  }

  test::TemporaryDirectory folder_;
};

TEST_F(EvaluateCommand, GivesTheFieldsOfTheContract) {
  const json result = evaluate_json(kScores, kTruth, {});
  const json& logme = result.at("metrics").at("logme");
  EXPECT_NEAR(logme.at("kendall").get<double>(), 13.0 / 15.0, 1e-12);
  EXPECT_NEAR(logme.at("weighted_kendall").get<double>(), (12.25 - 3.0) / 12.25, 1e-12);
  EXPECT_NEAR(logme.at("pearson").get<double>(), 0.976, 5e-4);
  EXPECT_NEAR(logme.at("spearman").get<double>(), 0.943, 5e-4);
  EXPECT_EQ(logme.at("top1"), false);
  EXPECT_NEAR(logme.at("regret1").get<double>(), 0.9, 1e-12);  // 88.9 - 88.0, in points
  EXPECT_EQ(logme.at("regret3"), 0.0);
  EXPECT_TRUE(result.contains("provenance"));
}

TEST_F(EvaluateCommand, LowerIsBetterWhereTheMetricSaysSo) {
  const json row = evaluate_json(kScores, kTruth, {}).at("metrics").at("linear_valid");
  EXPECT_EQ(row.at("kendall"), 1.0);
  EXPECT_EQ(row.at("top1"), true);
  EXPECT_EQ(row.at("regret1"), 0.0);
}

TEST_F(EvaluateCommand, MissingCellsLeaveTheirModelOut) {
  const json result = evaluate_json(kScores, kTruth, {});
  EXPECT_EQ(result.at("metrics").at("logme").at("models"), 6);
  EXPECT_EQ(result.at("metrics").at("linear_valid").at("models"), 5);
}

TEST_F(EvaluateCommand, ShowsStaticColumnsAsRows) {
  const json plain = evaluate_json(kScores, kTruth, {}).at("metrics");
  EXPECT_NEAR(plain.at("params").at("kendall").get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(plain.at("params").at("regret1").get<double>(), 2.7, 1e-12);
  EXPECT_FALSE(plain.contains("latency"));
  const json named = evaluate_json(kScores, kTruth, {"--static", "latency"}).at("metrics");
  EXPECT_TRUE(named.contains("params"));
  EXPECT_LT(named.at("latency").at("kendall"), 0.0);
  const json turned =
      evaluate_json(kScores, kTruth, {"--static", "latency", "--lower-is-better", "latency"});
  EXPECT_EQ(turned.at("metrics").at("latency").at("kendall").get<double>(),
            -named.at("latency").at("kendall").get<double>());
}

TEST_F(EvaluateCommand, TakesAnotherTruthWhereLessIsBetter) {
  const std::string truth = "name,error,accuracy\na,0.1,1\nb,0.3,2\nc,0.6,3\nd,0.9,4\n";
  const std::string scores = "name,logme\na,9\nb,7\nc,8\nd,1\n";
  const Words options = {"--truth-column", "error", "--lower-is-better", "error"};
  const json row = evaluate_json(scores, truth, options).at("metrics").at("logme");
  EXPECT_NEAR(row.at("kendall").get<double>(), 4.0 / 6.0, 1e-12);
  EXPECT_EQ(row.at("top1"), true);
  EXPECT_EQ(row.at("regret1"), 0.0);
  const json wrong =
      evaluate_json(scores, truth, {"--truth-column", "error"}).at("metrics").at("logme");
  EXPECT_NEAR(wrong.at("regret1").get<double>(), 0.8, 1e-12);
}

TEST_F(EvaluateCommand, AConstantMetricHasNullCorrelations) {
  const json row =
      evaluate_json("name,m\na,1\nb,1\n", "name,accuracy\na,90\nb,80\n", {}).at("metrics").at("m");
  for (const char* field : {"kendall", "weighted_kendall", "pearson", "spearman"}) {
    EXPECT_TRUE(row.at(field).is_null()) << field;
  }
  EXPECT_EQ(row.at("top1"), false);
  EXPECT_EQ(row.at("regret1"), 10.0);
}

TEST_F(EvaluateCommand, ListsUnmatchedNamesAndSkipsThem) {
  const CommandResult result = evaluate(kScores, kTruth, {});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("swin_tiny"));
  EXPECT_THAT(result.out, HasSubstr("params (static)"));
  EXPECT_THAT(evaluate(kScores, kTruth, {"--quiet"}).err, IsEmpty());
}

TEST_F(EvaluateCommand, RefusesWhatItCannotCompare) {
  const std::string truth = "name,accuracy\na,90\nb,80\n";
  const std::vector<std::tuple<std::string, std::string, Words, std::string>> cases = {
      {"name,m\nx,1\ny,2\n", truth, {}, "no model is in both"},
      {"name,m\na,1\na,2\n", truth, {}, "'a' is already on line 2"},
      {"name,m\na,nan\nb,2\n", truth, {}, "line 2, column 'm'"},
      {"model,m\na,1\n", truth, {}, "name"},
      {"name,m\na,1\n", "name,top1\na,1\n", {}, "--truth-column"},
      {"name,m\na,1\n", truth, {"--lower-is-better", "n"}, "--lower-is-better"},
      {"name,m\na,1\n", truth, {"--static", "flops"}, "flops"},
      {"{\"models\": 3}", truth, {}, "models"},
      {"", truth, {}, "scores.csv"},
      {"name,m\na,1\n", truth, {"--group", "kind"}, "--group: no column 'kind'"},
      {"name,dataset,m\na,x,1\n", "name,dataset,accuracy\na,y,1\n", {}, "no data set is in both"},
      {"name,m\na,1\n", "name,dataset,accuracy\na,x,1\na,y,1\n", {}, "add a column 'dataset'"},
  };
  for (const auto& [scores, measured, options, message] : cases) {
    const CommandResult result = evaluate(scores, measured, options);
    EXPECT_EQ(result.exit_code, 2) << scores;
    EXPECT_THAT(result.out, IsEmpty()) << scores;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(EvaluateCommand, NeedsBothFiles) {
  EXPECT_EQ(run_assay({"evaluate"}).exit_code, 2);
  EXPECT_THAT(run_assay({"evaluate", "--scores", "x.csv"}).err, HasSubstr("--truth"));
  const CommandResult gone = run_assay({"evaluate", "--scores", (folder_ / "gone.csv").string(),
                                        "--truth", (folder_ / "gone2.csv").string()});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_THAT(gone.err, HasSubstr("gone.csv"));
}

// Two data sets with ties and a missing cell. The averages are SciPy's (weightedtau,
// pearsonr, spearmanr and a double loop for tau-a); see tests/rank/evaluate_many_test.cpp.
constexpr const char* kManyScores =
    "name,dataset,logme,linear_valid,dim\n"
    "a,pets,3,0.1,64\nb,pets,2,0.2,128\nc,pets,2,0.3,64\nd,pets,1,0.25,64\n"
    "a,cars,1,,64\nb,cars,2,0.5,128\nc,cars,3,0.7,64\ne,cars,0.5,0.5,512\n";
constexpr const char* kManyTruth =
    "name,dataset,accuracy,classes,family\n"
    "a,pets,90,37,cnn\nb,pets,91,37,vit\nc,pets,80,37,cnn\nd,pets,70,37,cnn\n"
    "a,cars,70,196,cnn\nb,cars,75,196,vit\nc,cars,60,196,cnn\ne,cars,66,196,cnn\n";

void expect_logme_averages(const json& result) {
  const json& logme = result.at("metrics").at("logme");
  EXPECT_NEAR(logme.at("kendall").get<double>(), 0.25, 1e-12);
  EXPECT_NEAR(logme.at("agreement").get<double>(), 0.625, 1e-12);
  EXPECT_NEAR(logme.at("weighted_kendall").get<double>(), 0.15694261662270964, 1e-12);
  EXPECT_NEAR(logme.at("pearson").get<double>(), 0.23993938984950966, 1e-12);
  EXPECT_NEAR(logme.at("spearman").get<double>(), 0.21622776601683802, 1e-12);
  EXPECT_EQ(logme.at("top1"), 0.0);
  EXPECT_TRUE(logme.at("top1").is_number());
  EXPECT_EQ(logme.at("regret1"), 8.0);
  EXPECT_EQ(logme.at("models"), 8);
}

TEST_F(EvaluateCommand, AveragesOverTheDataSetsOfAColumn) {
  const json result = evaluate_json(kManyScores, kManyTruth, {});
  expect_logme_averages(result);
  EXPECT_EQ(result.at("metrics").at("linear_valid").at("models"), 7);
  EXPECT_EQ(result.at("metrics").at("linear_valid").at("missing"), json::array({"cars/a"}));
  EXPECT_EQ(result.at("metrics").at("dim").at("static"), true);
  EXPECT_EQ(result.at("metrics").at("dim").at("top1"), 0.5);
  const json& pets = result.at("datasets").at("pets").at("metrics");
  EXPECT_EQ(pets.at("logme").at("kendall"), 0.5);
  EXPECT_EQ(pets.at("dim").at("top1"), true);
}

TEST_F(EvaluateCommand, PairsOfFilesGiveWhatADatasetColumnGives) {
  const auto file = [&](const std::string& name, const std::string& text) {
    write_text(folder_ / name, text);
    return (folder_ / name).string();
  };
  const Words words = {
      "evaluate",
      "--scores",
      file("p.json", R"({"models": [{"name": "a", "scores": {"logme": {"value": 3}}},
                         {"name": "b", "scores": {"logme": {"value": 2}}},
                         {"name": "c", "scores": {"logme": {"value": 2}}},
                         {"name": "d", "scores": {"logme": {"value": 1}}}]})"),
      file("c.csv", "name,logme\na,1\nb,2\nc,3\ne,0.5\n"),
      "--truth",
      file("pets_truth.csv", "name,accuracy\na,90\nb,91\nc,80\nd,70\n"),
      file("cars_truth.csv", "name,accuracy\na,70\nb,75\nc,60\ne,66\n"),
      "--json",
      "-"};
  const json result = json_of(run_assay(words));
  expect_logme_averages(result);
  EXPECT_TRUE(result.at("datasets").contains("pets"));
  EXPECT_TRUE(result.at("datasets").contains("cars"));
  EXPECT_EQ(result.at("provenance").at("inputs").size(), 4U);
}

TEST_F(EvaluateCommand, GroupsDataSetsByTheNumberOfClasses) {
  const json groups = evaluate_json(kManyScores, kManyTruth, {"--group", "classes"}).at("groups");
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups.at("11-50").at("metrics").at("logme").at("kendall"), 0.5);
  EXPECT_EQ(groups.at("11-50").at("datasets"), json::array({"pets"}));
  EXPECT_EQ(groups.at("51-200").at("models"), 4);
}

TEST_F(EvaluateCommand, GroupsModelsWithinDataSets) {
  const CommandResult shown = evaluate(kManyScores, kManyTruth, {"--group", "family"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.out, HasSubstr("family = cnn: 6 models of 2 data sets\n"));
  EXPECT_THAT(shown.err, HasSubstr("fewer than 3 models to compare in vit of pets (1)"));
  EXPECT_THAT(shown.err, HasSubstr("linear_valid has no value for cars/a"));
  const json result = evaluate_json(kManyScores, kManyTruth, {"--group", "family"});
  ASSERT_EQ(result.at("groups").size(), 1U);
  const json& logme = result.at("groups").at("cnn").at("metrics").at("logme");
  EXPECT_NEAR(logme.at("weighted_kendall").get<double>(), 0.31818181818181823, 1e-12);
  EXPECT_EQ(result.at("groups_skipped").size(), 2U);
  expect_logme_averages(result);
}

TEST_F(EvaluateCommand, ScoresFromAPipeAreRefusedWithoutWaiting) {
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  write_text(folder_ / "truth.csv", kTruth);
  const CommandResult result = run_assay(
      {"evaluate", "--scores", pipe, "--truth", (folder_ / "truth.csv").string(), "--json", "-"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("write it to a file first and name that file"));
}

TEST_F(EvaluateCommand, AMetricWithOneModelIsNull) {
  const json row = evaluate_json("name,m,k\na,1,\nb,2,7\n", "name,accuracy\na,90\nb,80\n", {})
                       .at("metrics")
                       .at("k");
  EXPECT_EQ(row.at("models"), 1);
  for (const char* field : {"kendall", "weighted_kendall", "pearson", "spearman", "agreement",
                            "top1", "top3", "regret1", "regret3"}) {
    EXPECT_TRUE(row.at(field).is_null()) << field;
  }
}

TEST_F(EvaluateCommand, LowerIsBetterTurnsAnUnknownMetricRound) {
  const std::string truth = "name,accuracy\na,90\nb,80\n";
  const std::string scores = "name,mine\na,1\nb,2\n";
  EXPECT_EQ(evaluate_json(scores, truth, {}).at("metrics").at("mine").at("kendall"), -1.0);
  EXPECT_EQ(evaluate_json(scores, truth, {"--lower-is-better", "mine"})
                .at("metrics")
                .at("mine")
                .at("kendall"),
            1.0);
}

class EvaluateAfterRank : public test::HubTest {};

TEST_F(EvaluateAfterRank, ReadsTheJsonOfRank) {
  write_text(file("truth.csv"), "name,accuracy\nfair,80\ngood,70\npoor,30\n");
  ASSERT_EQ(rank({"--ci", "0", "--json", file("rank.json").string()}).exit_code, 0);
  const json row = json_of(run_assay({"evaluate", "--scores", file("rank.json").string(), "--truth",
                                      file("truth.csv").string(), "--json", "-"}))
                       .at("metrics")
                       .at("logme");
  EXPECT_NEAR(row.at("kendall").get<double>(), 1.0 / 3.0, 1e-12);
  EXPECT_EQ(row.at("regret1"), 10.0);
  EXPECT_EQ(row.at("regret3"), 0.0);
}

TEST_F(EvaluateAfterRank, GivesTheDimensionARowAsRankDoes) {
  write_text(file("truth.csv"), "name,accuracy\nfair,80\ngood,70\npoor,30\n");
  ASSERT_EQ(rank({"--ci", "0", "--truth", file("truth.csv").string(), "--json",
                  file("rank.json").string()})
                .exit_code,
            0);
  const json metrics = json_of(run_assay({"evaluate", "--scores", file("rank.json").string(),
                                          "--truth", file("truth.csv").string(), "--json", "-"}))
                           .at("metrics");
  EXPECT_EQ(metrics.at("dim").at("static"), true);
  EXPECT_EQ(metrics.at("dim").at("models"), 3);
  std::ifstream ranked(file("rank.json"));
  EXPECT_EQ(json::parse(ranked).at("evaluation").at("metrics"), metrics);
}

}  // namespace
}  // namespace assay
