// Tests: rank/rank_json, rank/rank_verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "io/csv.h"
#include "rank/contributions.h"
#include "rank/rank_report.h"
#include "rank/ranking.h"

namespace assay {
namespace {

using nlohmann::ordered_json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ScoredModel model(const std::string& name, double value, const std::vector<double>& replicates) {
  ScoredModel scored{.name = name, .samples = 1000, .dim = 64, .scores = {}, .digests = {}};
  MetricScore score{.metric = &find_metric("logme"), .score = {}, .replicates = replicates};
  score.score.value = value;
  score.score.details = {{"gain", 0.25}};
  scored.scores.push_back(score);
  return scored;
}

// Two folds: the standard error is half the distance of the replicates, whatever
// their mean, and Student's t has one degree of freedom: 12.7062 at 95 %.
ScoredModel model(const std::string& name, double value, double error) {
  return model(name, value, std::vector<double>{value - error, value + error});
}

RankResult ranked(std::vector<ScoredModel> models, double level = 0.95) {
  RankResult result;
  result.metrics = {&find_metric("logme")};
  result.by = result.metrics.front();
  result.columns = 3;
  std::vector<Candidate> candidates;
  for (ScoredModel& scored : models) {
    if (level == 0.0) scored.scores[0].replicates.clear();
    const ScoreContributions from = contributions_of(scored.scores[0]);
    candidates.push_back(
        {scored.name, scored.scores[0].score.value, from.units, from.pairs, from.triples});
  }
  result.folds = static_cast<Index>(candidates.front().contributions.size());
  result.ranking = rank_candidates(candidates, level);
  result.models = std::move(models);
  return result;
}

TEST(RankVerdict, OfOneModelComparesNothing) {
  EXPECT_EQ(rank_verdict(ranked({model("a", 0.5, 0.1)})),
            "a ranks first by LogME (0.5000 nats/sample on 1,000 samples, +0.2500 over no features "
            "at all). It is the only model, so there is nothing to compare it with.");
}

TEST(RankVerdict, OfAClearWinnerNamesTheRunnerUpAndTheGap) {
  // The replicates of c and a differ by 0.99 and 1.01: a gap of 1 with a standard error of 0.01.
  const std::string verdict =
      rank_verdict(ranked({model("b", -3.0, 0.01), model("c", 0.0, 0.02), model("a", 1.0, 0.01)}));
  EXPECT_THAT(verdict, testing::StartsWith("a ranks first by LogME (1.0000 nats/sample"));
  EXPECT_THAT(verdict,
              EndsWith("By this metric it is ahead of every other model at 95 % confidence; the "
                       "runner-up, c, is 1.0000 nats/sample (standard error 0.0100) behind."));
}

TEST(RankVerdict, OfATieSaysHowManySamplesWouldBreakIt) {
  // Gap 0.001, standard error 0.002: 1000 (12.7062 * 2)^2 = 645,790 samples.
  const std::string verdict =
      rank_verdict(ranked({model("a", 0.501, 0.001), model("b", 0.5, 0.003)}));
  EXPECT_THAT(
      verdict,
      HasSubstr("At 95 % confidence this metric cannot tell it from b: choose among them by "
                "size, speed or licence."));
  EXPECT_THAT(
      verdict,
      EndsWith("The gap to b is 0.0010 nats/sample (standard error 0.0020); if it holds, about "
               "650,000 labelled samples would separate the two."));
  EXPECT_THAT(verdict, Not(HasSubstr("ahead of every other")));
}

TEST(RankVerdict, OfTwinsPromisesNothing) {
  const std::string verdict = rank_verdict(ranked({model("a", 0.5, 0.1), model("b", 0.5, 0.2)}));
  EXPECT_THAT(verdict, HasSubstr("cannot tell it from b"));
  EXPECT_THAT(
      verdict,
      EndsWith("b scores as good as the same (0.0000 nats/sample (standard error 0.1000)); more "
               "labels will hardly tell them apart."));
}

TEST(RankVerdict, NamesAFewTiedModelsAndCountsMany) {
  std::vector<ScoredModel> models;
  for (const char* name : {"a", "b", "c", "d", "e"}) models.push_back(model(name, 0.5, 0.1));
  EXPECT_THAT(rank_verdict(ranked(models)), HasSubstr("tell it from b, c, d and e: choose"));
  models.push_back(model("f", 0.5, 0.1));
  EXPECT_THAT(rank_verdict(ranked(models)), HasSubstr("tell it from b, c and 3 others: choose"));
}

TEST(RankVerdict, WithoutIntervalsClaimsNothing) {
  const std::string verdict =
      rank_verdict(ranked({model("a", 1.0, 0.01), model("b", 0.0, 0.01)}, 0.0));
  EXPECT_THAT(verdict,
              EndsWith("Without intervals (`ci` 0) it is not known whether its lead over b "
                       "is real."));
}

TEST(RankTable, ShowsDirectionIntervalsAndTies) {
  const std::string table = rank_table(ranked({model("a", 0.501, 0.001), model("b", 0.5, 0.003)}));
  EXPECT_THAT(table, HasSubstr("logme ↑"));
  EXPECT_THAT(table, HasSubstr("95% interval"));
  EXPECT_THAT(table, HasSubstr("[0.4883, 0.5137]"));  // 0.501 +- 12.7062 * 0.001
  EXPECT_THAT(table, HasSubstr("1-2"));
  EXPECT_THAT(table, HasSubstr("1,000"));
  EXPECT_THAT(table, HasSubstr("+0.2500"));
}

TEST(RankTable, WithoutIntervalsHasNoColumnsForThem) {
  const std::string table = rank_table(ranked({model("a", 0.5, 0.1)}, 0.0));
  EXPECT_THAT(table, Not(HasSubstr("interval")));
  EXPECT_THAT(table, Not(HasSubstr("tie")));
}

TEST(RankTable, PutsControlsBelowWithoutARank) {
  RankResult result = ranked({model("a", 0.5, 0.1)});
  result.controls = {model("noise", -1.0, 0.1)};
  EXPECT_THAT(rank_table(result), HasSubstr("(noise control)"));
  EXPECT_THAT(rank_verdict(result), Not(HasSubstr("noise")));
}

TEST(RankTable, SaysHowManyColumnsAFlagIsAbout) {
  RankResult result = ranked({model("a", 0.5, 0.1)});
  Score& score = result.models[0].scores[0].score;
  score.columns = {0.4, 0.5, 0.6};
  score.flags = {"uninformative"};
  score.details.emplace_back("uninformative_columns", 2.0);
  EXPECT_THAT(rank_table(result), HasSubstr("uninformative 2/3"));
}

// Names as a reader gets them back.
std::vector<std::string> names_in_csv(const RankResult& result) {
  const CsvTable table = parse_csv(rank_csv(result), "rank.csv");
  std::vector<std::string> names;
  for (const auto& row : table.rows) names.push_back(row.at(0));
  return names;
}

TEST(RankCsv, HasOneLinePerModelBestFirst) {
  EXPECT_EQ(rank_csv(ranked({model("b", 0.25, 0.0), model("a", 0.5, 0.0)})),
            "name,rank,rank_low,rank_high,tie_group,n,dim,logme,logme_low,logme_high\n"
            "a,1,1,1,1,1000,64,0.5,0.5,0.5\n"
            "b,2,2,2,2,1000,64,0.25,0.25,0.25\n");
}

TEST(RankCsv, LeavesBlankWhatDoesNotExist) {
  EXPECT_THAT(rank_csv(ranked({model("a", 0.5, 0.1)}, 0.0)), EndsWith("\na,1,,,,1000,64,0.5,,\n"));
}

TEST(RankCsv, QuotesNamesThatNeedIt) {
  const std::string csv =
      rank_csv(ranked({model("a,b", 3.0, 0.1), model("say \"x\"", 2.0, 0.1),
                       model("two\nlines", 1.0, 0.1), model("plain", 0.0, 0.1)}));
  EXPECT_THAT(csv, HasSubstr("\n\"a,b\",1,"));
  EXPECT_THAT(csv, HasSubstr("\n\"say \"\"x\"\"\",2,"));
  EXPECT_THAT(csv, HasSubstr("\n\"two\nlines\",3,"));
  EXPECT_THAT(csv, HasSubstr("\nplain,4,"));
}

TEST(RankCsv, GivesNamesBackUnharmed) {
  const std::vector<std::string> names = {"<script>alert(1)</script>", "a,\"b\"", "größe",
                                          "two\nlines"};
  std::vector<ScoredModel> models;
  for (std::size_t i = 0; i < names.size(); ++i) {
    models.push_back(model(names[i], -static_cast<double>(i), 0.1));
  }
  EXPECT_EQ(names_in_csv(ranked(models)), names);
}

TEST(RankJson, HoldsTheFieldsOfTheContract) {
  RankResult result = ranked({model("b", 0.25, 0.0), model("a", 0.5, 0.0)});
  result.failed = {{"broken", "broken.npy: the file is empty"}};
  const ordered_json json = rank_json(result);
  const ordered_json& first = json.at("models").at(0);
  EXPECT_EQ(first.at("name"), "a");
  EXPECT_EQ(first.at("rank"), 1);
  EXPECT_EQ(first.at("rank_low"), 1);
  EXPECT_EQ(first.at("rank_high"), 1);
  EXPECT_EQ(first.at("tie_group"), 1);
  EXPECT_EQ(first.at("n"), 1000);
  EXPECT_EQ(first.at("dim"), 64);
  const ordered_json& score = first.at("scores").at("logme");
  EXPECT_EQ(score.at("value"), 0.5);
  EXPECT_EQ(score.at("low"), 0.5);
  EXPECT_EQ(score.at("high"), 0.5);
  EXPECT_TRUE(score.contains("seconds"));
  EXPECT_TRUE(score.at("flags").is_array());
  EXPECT_EQ(json.at("failed").at(0).at("name"), "broken");
  EXPECT_EQ(json.at("failed").at(0).at("error"), "broken.npy: the file is empty");
}

TEST(RankJson, HasNullForWhatDoesNotExist) {
  const ordered_json model_json = rank_json(ranked({model("a", 0.5, 0.1)}, 0.0)).at("models").at(0);
  EXPECT_TRUE(model_json.at("rank_low").is_null());
  EXPECT_TRUE(model_json.at("rank_high").is_null());
  EXPECT_TRUE(model_json.at("scores").at("logme").at("low").is_null());
  EXPECT_TRUE(model_json.at("scores").at("logme").at("high").is_null());
}

TEST(RankJson, HasNullForWhatIsNotFinite) {
  RankResult result = ranked({model("a", 0.5, 0.1), model("b", 0.25, 0.1)});
  const double infinity = std::numeric_limits<double>::infinity();
  result.models[0].scores[0].score.value = kNan;
  result.models[0].scores[0].score.details = {{"gain", -infinity}};
  result.models[1].scores[0].replicates = {kNan, 0.25};
  // As a reader sees it, after writing.
  const ordered_json json = ordered_json::parse(rank_json(result).dump());
  for (const ordered_json& entry : json.at("models")) {
    const ordered_json& score = entry.at("scores").at("logme");
    if (entry.at("name") == "a") {
      EXPECT_TRUE(score.at("value").is_null());
      EXPECT_TRUE(score.at("gain").is_null());
    } else {
      EXPECT_EQ(score.at("value"), 0.25);
      EXPECT_TRUE(score.at("low").is_null());
      EXPECT_TRUE(score.at("high").is_null());
    }
  }
}

TEST(RankJson, GivesNamesBackUnharmed) {
  const std::string script = "<script>alert(1)</script>";
  RankResult result = ranked({model(script, 1.0, 0.1), model("a,\"b\"\n", 0.0, 0.1)});
  result.failed = {{script, script}};
  const ordered_json json = ordered_json::parse(rank_json(result).dump());
  EXPECT_EQ(json.at("models").at(0).at("name"), script);
  EXPECT_EQ(json.at("models").at(1).at("name"), "a,\"b\"\n");
  EXPECT_EQ(json.at("failed").at(0).at("name"), script);
}

}  // namespace
}  // namespace assay
