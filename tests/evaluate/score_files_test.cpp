// Tests: evaluate/score_json, evaluate/model_table.
#include "evaluate/score_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "assay/error.h"
#include "assay/metric.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Strings = std::vector<std::string>;
using Values = std::map<std::string, double>;

std::filesystem::path written(const std::string& name, const std::string& text) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("assay_scores_{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << text;
  return folder / name;
}

std::vector<ScoreColumn> csv_scores(const std::string& text, const Strings& lower = {}) {
  return read_scores(written("scores.csv", text), lower);
}

std::vector<ScoreColumn> json_scores(const std::string& text, const Strings& lower = {}) {
  return read_scores(written("scores.json", text), lower);
}

Truth truth_of(const std::string& text, const TruthOptions& options = {}) {
  return read_truth(written("truth.csv", text), options);
}

template <typename Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ScoreCsv, ReadsOneColumnPerMetricAndSkipsBlanks) {
  const auto scores = csv_scores("name,logme,linear\nresnet,0.5,+1.5\nvit, -2e-1 ,\n");
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].name, "logme");
  EXPECT_EQ(scores[0].values, (Values{{"resnet", 0.5}, {"vit", -0.2}}));
  EXPECT_TRUE(scores[0].higher_is_better);
  EXPECT_EQ(scores[1].values, (Values{{"resnet", 1.5}}));
  EXPECT_FALSE(scores[1].higher_is_better);
}

TEST(ScoreCsv, TheNameColumnMayStandAnywhere) {
  const auto scores = csv_scores("logme,name\n1,a\n2,b\n");
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_EQ(scores[0].values, (Values{{"a", 1}, {"b", 2}}));
}

TEST(ScoreCsv, ColumnsOfDatasetGroupAndNoTitleAreNoMetrics) {
  const auto scores =
      csv_scores(",name,dataset,group,logme\n0,a,pets,animals,1\n1,b,pets,animals,2\n");
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_EQ(scores[0].name, "logme");
}

TEST(ScoreCsv, OfRankHoldsItsMetricsAndTheConsensus) {
  const auto scores = csv_scores(
      "name,rank,rank_low,rank_high,tie_group,n,dim,consensus,logme,logme_low,logme_high,my_low\n"
      "a,1,1,2,1,40,8,1.0,0.5,0.4,0.6,3\nb,2,1,2,1,40,8,2.0,0.4,0.3,0.5,4\n");
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores[0].name, "consensus");
  EXPECT_FALSE(scores[0].higher_is_better);
  EXPECT_EQ(scores[1].name, "logme");
  EXPECT_EQ(scores[2].name, "my_low");
}

TEST(ScoreCsv, NamesLineAndColumnOfACellThatIsNoNumber) {
  const std::vector<std::string> bad = {"high", "85%", "0x10", "1e999", "nan", "inf", "1 2", "+-1"};
  for (const std::string& cell : bad) {
    const std::string message =
        message_of([&] { csv_scores("name,logme,knn\na,1,2\nb,3," + cell + "\n"); });
    EXPECT_THAT(message, HasSubstr("scores.csv: line 3, column 'knn'")) << cell;
    EXPECT_THAT(message, HasSubstr("got '" + cell + "'")) << cell;
  }
}

TEST(ScoreCsv, NamesBothLinesOfAModelThatAppearsTwice) {
  EXPECT_THAT(message_of([] { csv_scores("name,logme\na,1\nb,2\na,3\n"); }),
              HasSubstr("line 4: model 'a' is already on line 2; keep one row per model"));
  EXPECT_THAT(message_of([] { csv_scores("name,dataset,logme\na,pets,1\na,pets,2\n"); }),
              HasSubstr("line 3: model 'a' is already on line 2; keep one row per model and data"));
}

TEST(ScoreFiles, OfOneDataSetRefuseSeveral) {
  EXPECT_THAT(message_of([] { csv_scores("name,dataset,logme\na,pets,1\na,cars,2\n"); }),
              HasSubstr("holds 2 data sets (pets, cars); keep one 'dataset' per file"));
  EXPECT_THAT(message_of([] { truth_of("name,dataset,accuracy\na,pets,1\na,cars,2\n"); }),
              HasSubstr("holds 2 data sets (pets, cars)"));
}

TEST(ScoreCsv, CountsTheLinesThatQuotedFieldsSpan) {
  EXPECT_THAT(message_of([] { csv_scores("name,logme\n\"a\nb\",1\nc,x\n"); }),
              HasSubstr("line 4, column 'logme'"));
}

TEST(ScoreCsv, RefusesTablesItCannotUnderstand) {
  EXPECT_THAT(message_of([] { csv_scores("model,logme\na,1\n"); }),
              HasSubstr("expected a column 'name', got model, logme"));
  EXPECT_THAT(message_of([] { csv_scores("1,2\n3,4\n"); }), HasSubstr("header"));
  EXPECT_THAT(message_of([] { csv_scores("name\na\n"); }), HasSubstr("a column per metric"));
  EXPECT_THAT(message_of([] { csv_scores("name,m,m\na,1,2\n"); }), HasSubstr("'m' appears twice"));
  EXPECT_THAT(message_of([] { csv_scores("name,m\n ,2\n"); }), HasSubstr("line 2"));
  EXPECT_THROW(csv_scores(""), Error);
  EXPECT_THROW(read_scores("/nonexistent/scores.csv", {}), Error);
  EXPECT_THROW(read_scores(testing::TempDir(), {}), Error);
}

TEST(ScoreDirection, IsTheOneThatTheMetricDeclares) {
  for (const Metric& metric : all_metrics()) {
    EXPECT_EQ(higher_is_better_by_name(metric.name),
              metric.direction == Direction::higher_is_better)
        << metric.name;
  }
}

TEST(ScoreDirection, FollowsTheNameUnlessTheUserSaysOtherwise) {
  EXPECT_TRUE(higher_is_better_by_name("logme"));
  EXPECT_TRUE(higher_is_better_by_name("linear_something"));
  EXPECT_FALSE(higher_is_better_by_name("linear"));
  EXPECT_FALSE(higher_is_better_by_name("linear_valid"));
  EXPECT_FALSE(higher_is_better_by_name("pactran_gauss_grid"));
  EXPECT_FALSE(higher_is_better_by_name("npactran_gamma"));
  const auto scores = csv_scores("name,flops,logme\na,1,2\n", {"flops"});
  EXPECT_FALSE(scores[0].higher_is_better);
  EXPECT_TRUE(scores[1].higher_is_better);
}

TEST(ScoreJson, ReadsTheResultOfRank) {
  const auto scores = json_scores(R"({"models": [
      {"name": "a", "rank": 1, "scores": {"logme": {"value": 0.5, "low": 0.4}, "pactran_gauss": {"value": 3}}},
      {"name": "b", "rank": 2, "scores": {"logme": {"value": null}, "pactran_gauss": {"value": 2}}}],
      "failed": [], "provenance": {}})");
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].name, "logme");
  EXPECT_EQ(scores[0].values, (Values{{"a", 0.5}}));
  EXPECT_EQ(scores[1].values, (Values{{"a", 3}, {"b", 2}}));
  EXPECT_FALSE(scores[1].higher_is_better);
}

TEST(ScoreJson, TakesTheDirectionFromTheFileThenFromTheUser) {
  const std::string text =
      R"({"metrics": {"mine": {"direction": "lower"}, "linear": {"direction": "higher"}},
      "models": [{"name": "a", "scores": {"mine": {"value": 1}, "linear": {"value": 1}, "logme": {"value": 1}}}]})";
  const auto scores = json_scores(text);
  EXPECT_FALSE(scores[0].higher_is_better);
  EXPECT_TRUE(scores[1].higher_is_better);
  EXPECT_TRUE(scores[2].higher_is_better);
  const auto overruled = json_scores(text, {"linear"});
  EXPECT_FALSE(overruled[1].higher_is_better);
}

TEST(ScoreJson, ReadsTheResultOfRobustScore) {
  const std::filesystem::path path =
      written("robust.json", R"({"command": "robust score", "models": [
      {"name": "a", "dim": 64, "scores": [
        {"epsilon": 0.0, "threshold": 0.7, "value": 0.5, "calibrated": 0.6},
        {"epsilon": 0.2, "threshold": 0.75, "value": 0.4, "calibrated": null}]},
      {"name": "b", "dim": 32, "scores": [
        {"epsilon": 0.0, "threshold": 0.7, "value": 0.1, "calibrated": 0.2},
        {"epsilon": 0.2, "threshold": 0.75, "value": null, "calibrated": 0.3}]}]})");
  const DatasetScores scores = read_score_sets(path, {}).front();
  ASSERT_EQ(scores.columns.size(), 4U);
  EXPECT_EQ(scores.columns[0].name, "value_e0_t0.7");
  EXPECT_EQ(scores.columns[0].values, (Values{{"a", 0.5}, {"b", 0.1}}));
  EXPECT_EQ(scores.columns[1].name, "calibrated_e0_t0.7");
  EXPECT_TRUE(scores.columns[1].higher_is_better);
  EXPECT_EQ(scores.columns[2].values, (Values{{"a", 0.4}}));
  EXPECT_EQ(scores.columns[3].name, "calibrated_e0.2_t0.75");
  EXPECT_EQ(scores.columns[3].values, (Values{{"b", 0.3}}));
  EXPECT_EQ(scores.dims, (Values{{"a", 64.0}, {"b", 32.0}}));
  EXPECT_THAT(message_of([] {
                json_scores(R"({"models": [{"name": "a", "scores": [{"epsilon": 0.1}]}]})");
              }),
              HasSubstr("threshold"));
}

TEST(ScoreJson, KeepsAMetricThatFailedEverywhere) {
  const auto scores =
      json_scores(R"({"models": [{"name": "a", "scores": {"leep": {"value": null}}}]})");
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_TRUE(scores[0].values.empty());
}

TEST(ScoreJson, IsKnownByItsContentWhateverTheFileIsCalled) {
  const auto path =
      written("result.txt", R"( {"models": [{"name": "a", "scores": {"knn": {"value": 1}}}]})");
  EXPECT_EQ(read_scores(path, {}).at(0).values, (Values{{"a", 1}}));
}

TEST(ScoreJson, RefusesWhatRankDoesNotWrite) {
  const auto message = [](const std::string& text) {
    return message_of([&] { json_scores(text); });
  };
  EXPECT_THAT(message("{\"models\": "), HasSubstr("not valid JSON at byte"));
  EXPECT_THAT(message(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(message("[1, 2]"), HasSubstr("no array 'models'"));
  EXPECT_THAT(message(R"({"models": {"a": 1}})"), HasSubstr("no array 'models'"));
  EXPECT_THAT(message(R"({"models": []})"), HasSubstr("no model has a score"));
  EXPECT_THAT(message(R"({"models": [3]})"), HasSubstr("models[0]: no text 'name'"));
  EXPECT_THAT(message(R"({"models": [{"name": "a"}]})"), HasSubstr("no object `scores`"));
  EXPECT_THAT(message(R"({"models": [{"name": "a", "scores": {"m": {"value": "1"}}}]})"),
              HasSubstr("'scores.m' has no number 'value'"));
  EXPECT_THAT(message(R"({"models": [{"name": "a", "scores": {"m": 1}}]})"), HasSubstr("scores.m"));
  EXPECT_THAT(message(R"({"models": [{"name": "a", "scores": {"m": {"value": 1e999}}}]})"),
              HasSubstr("beyond the range"));
  EXPECT_THAT(message(R"({"models": [{"name": "a", "scores": {"m": {"value": NaN}}}]})"),
              HasSubstr("not valid JSON"));
  EXPECT_THAT(message(R"({"models": [{"name": "a", "scores": {}}, {"name": "a", "scores": {}}]})"),
              HasSubstr("models[1]: model \"a\" appears twice"));
  EXPECT_THAT(message(R"({"metrics": {"m": {"direction": "up"}},
                          "models": [{"name": "a", "scores": {"m": {"value": 1}}}]})"),
              HasSubstr("expected \"higher\" or \"lower\", got \"up\""));
  EXPECT_THAT(message(std::string(100000, '[')), HasSubstr("levels deep"));
}

TEST(TruthCsv, TakesAccuracyAndTheUsualBaselines) {
  const Truth truth = truth_of(
      "name,accuracy,params,upstream,licence\na,90.5,25000000,76.1,mit\nb,,11000000,,bsd\nc,80,,70,"
      "\n");
  EXPECT_EQ(truth.column, "accuracy");
  EXPECT_TRUE(truth.higher_is_better);
  EXPECT_EQ(truth.values, (Values{{"a", 90.5}, {"c", 80}}));
  ASSERT_EQ(truth.baselines.size(), 2U);
  EXPECT_EQ(truth.baselines[0].name, "params");
  EXPECT_EQ(truth.baselines[0].values, (Values{{"a", 25e6}, {"b", 11e6}}));
  EXPECT_EQ(truth.baselines[1].name, "upstream");
}

TEST(TruthCsv, IgnoresTheUsualBaselinesWhenTheyAreNotNumbers) {
  EXPECT_TRUE(truth_of("name,accuracy,params,upstream\na,1,25M,\nb,2,11M,\n").baselines.empty());
}

TEST(TruthCsv, TakesTheNamedColumnsAndDirections) {
  const std::string text = "name,accuracy,error,flops,params\na,90,10,3,5\nb,80,20,1,6\n";
  const Truth truth = truth_of(text, {.column = "error",
                                      .static_columns = {"flops", "params"},
                                      .lower_is_better = {"error", "flops"}});
  EXPECT_EQ(truth.column, "error");
  EXPECT_FALSE(truth.higher_is_better);
  EXPECT_EQ(truth.values, (Values{{"a", 10}, {"b", 20}}));
  ASSERT_EQ(truth.baselines.size(), 2U);
  EXPECT_EQ(truth.baselines[0].name, "params");
  EXPECT_TRUE(truth.baselines[0].higher_is_better);
  EXPECT_EQ(truth.baselines[1].name, "flops");
  EXPECT_FALSE(truth.baselines[1].higher_is_better);
  // A name like "error" alone turns nothing round.
  EXPECT_TRUE(truth_of(text, {.column = "error"}).higher_is_better);
}

TEST(TruthCsv, ATruthThatIsAUsualBaselineIsNotItsOwnBaseline) {
  const Truth truth = truth_of("name,upstream\na,1\nb,2\n", {.column = "upstream"});
  EXPECT_TRUE(truth.baselines.empty());
}

TEST(TruthCsv, ListsTheColumnsWhenTheTruthIsNotAmongThem) {
  EXPECT_THAT(message_of([] { truth_of("name,top1,params\na,1,2\n"); }),
              HasSubstr("no column 'accuracy'; the columns are name, top1, params; "
                        "choose with `truth_column`"));
  EXPECT_THAT(message_of([] { truth_of("name,accuracy\na,1\n", {.static_columns = {"flops"}}); }),
              HasSubstr("no column 'flops'"));
}

TEST(TruthCsv, NamesLineAndColumnOfWhatIsNoNumber) {
  EXPECT_THAT(message_of([] { truth_of("name,accuracy\na,90\nb,ninety\n"); }),
              HasSubstr("truth.csv: line 3, column 'accuracy'"));
  const TruthOptions options{.static_columns = {"params"}};
  EXPECT_THAT(message_of([&] { truth_of("name,accuracy,params\na,90,25M\n", options); }),
              HasSubstr("line 2, column 'params'"));
  EXPECT_THAT(message_of([] { truth_of("name,accuracy\na,\nb,\n"); }),
              HasSubstr("holds no values"));
  EXPECT_THAT(message_of([] { truth_of("name,accuracy\na,1\na,1\n"); }), HasSubstr("line 3"));
}

TEST(CommonModels, ShowsAFewNamesOfEachSideWhenNoneMatches) {
  const Truth truth = truth_of("name,accuracy\nA,1\nB,2\nC,3\nD,4\nE,5\n");
  const auto scores = csv_scores("name,logme,knn\na,1,\nb,,2\n");
  EXPECT_EQ(model_names(scores), (Strings{"a", "b"}));
  const std::string message =
      message_of([&] { require_common_models(model_names(scores), truth); });
  EXPECT_THAT(message, HasSubstr("scores have a, b; the truth has A, B, C and 2 more"));
  EXPECT_NO_THROW(require_common_models(Strings{"x", "C"}, truth));
  EXPECT_THROW(require_common_models(Strings{}, truth), Error);
}

TEST(KnownColumns, RefusesALowerIsBetterNameThatNobodyHas) {
  const Truth truth = truth_of("name,accuracy,params\na,1,2\n");
  const auto scores = csv_scores("name,logme\na,1\n");
  EXPECT_NO_THROW(require_known_columns(Strings{"accuracy", "logme", "params"}, scores, truth));
  EXPECT_THAT(message_of([&] { require_known_columns(Strings{"acuracy"}, scores, truth); }),
              HasSubstr("no column 'acuracy'; did you mean 'accuracy'?"));
  EXPECT_THAT(message_of([&] { require_known_columns(Strings{"zzzzzzzz"}, scores, truth); }),
              HasSubstr("there are accuracy, logme, params"));
}

// The example of docs/guide/evaluate.md.
TEST(ScoreFiles, GiveTheNumbersOfTheGuide) {
  const auto scores = csv_scores(
      "name,logme,linear_valid\nresnet50,0.61,0.17\nresnet18,0.48,0.24\nvit_small,0.66,0.15\n"
      "mobilenet,0.52,0.22\ndensenet,0.64,\nefficientnet,0.59,0.19\n");
  const Truth truth = truth_of(
      "name,accuracy,params\nresnet50,86.2,25.6\nresnet18,79.5,11.7\nvit_small,88.0,22.1\n"
      "mobilenet,80.1,3.5\ndensenet,88.9,8.0\nswin_tiny,90.3,28.3\nefficientnet,84.4,5.3\n");
  const Evaluation result = evaluate(scores, truth);
  ASSERT_EQ(result.metrics.size(), 3U);
  EXPECT_EQ(result.only_in_truth, Strings{"swin_tiny"});
  const MetricQuality& logme = result.metrics[0];
  EXPECT_DOUBLE_EQ(logme.kendall.value(), 13.0 / 15.0);
  EXPECT_NEAR(logme.weighted_kendall.value(), 9.25 / 12.25, 1e-14);
  EXPECT_NEAR(logme.pearson.value(), 0.976, 5e-4);
  EXPECT_NEAR(logme.spearman.value(), 0.943, 5e-4);
  EXPECT_NEAR(logme.regret1.value(), 0.9, 1e-12);
  EXPECT_EQ(logme.regret3, 0.0);
  EXPECT_EQ(result.metrics[1].models, 5);
  EXPECT_DOUBLE_EQ(result.metrics[1].weighted_kendall.value(), 1.0);
  const MetricQuality& params = result.metrics[2];
  EXPECT_TRUE(params.baseline);
  EXPECT_NEAR(params.agreement.value(), 0.6, 1e-12);
  EXPECT_NEAR(params.weighted_kendall.value(), 0.124, 5e-4);
  EXPECT_NEAR(params.pearson.value(), 0.443, 5e-4);
  EXPECT_NEAR(params.regret1.value(), 2.7, 1e-12);
}

}  // namespace
}  // namespace assay
