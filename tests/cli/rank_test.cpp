#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::kClasses;
using test::kDim;
using test::kSamples;
using test::label_lines;
using test::lasting;
using test::read_text;
using test::run_assay;
using test::value_of;
using test::write_text;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Path = std::filesystem::path;
using Words = std::vector<std::string>;

class RankCommand : public test::HubTest {};

TEST_F(RankCommand, WritesTheJsonOfTheContractAloneOnStdout) {
  const CommandResult result = rank({"--json", "-"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  const json all = json_of(result);
  ASSERT_EQ(all.at("models").size(), 3U);
  for (const json& model : all.at("models")) {
    EXPECT_TRUE(model.at("name").is_string());
    EXPECT_TRUE(model.at("rank").is_number_integer());
    EXPECT_LE(model.at("rank_low"), model.at("rank"));
    EXPECT_GE(model.at("rank_high"), model.at("rank"));
    EXPECT_TRUE(model.at("tie_group").is_number_integer());
    EXPECT_EQ(model.at("n"), kSamples);
    EXPECT_EQ(model.at("dim"), kDim);
    const json& score = model.at("scores").at("logme");
    EXPECT_LT(score.at("low"), score.at("value"));
    EXPECT_GT(score.at("high"), score.at("value"));
    EXPECT_GE(score.at("seconds"), 0.0);
    EXPECT_TRUE(score.at("flags").is_array());
  }
  EXPECT_THAT(all.at("failed"), IsEmpty());
}

TEST_F(RankCommand, PutsTheBestFirst) {
  const json models = rank_json({}).at("models");
  const Words names = {"good", "fair", "poor"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(models[i].at("name"), names[i]);
    EXPECT_EQ(models[i].at("rank"), i + 1);
  }
  EXPECT_GT(value_of(models[0]), value_of(models[1]));
  EXPECT_GT(value_of(models[1]), value_of(models[2]));
}

TEST_F(RankCommand, CarriesItsProvenance) {
  const json origin = rank_json({"--seed", "7", "--threads", "2"}).at("provenance");
  EXPECT_EQ(origin.at("seed"), 7);
  EXPECT_EQ(origin.at("threads"), 2);
  EXPECT_TRUE(origin.at("version").is_string());
  EXPECT_TRUE(origin.at("time").is_string());
  EXPECT_EQ(origin.at("command").at(1), "rank");
  for (const Path& input : {labels_, hub_ / "good.npy", hub_ / "poor.npy"}) {
    EXPECT_THAT(origin.at("inputs").at(input.string()).get<std::string>(), StartsWith("xxh"));
  }
}

TEST_F(RankCommand, PrintsATableAndAVerdictOnStdoutOnly) {
  const CommandResult result = rank({"--json", file("rank.json").string()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("logme ↑"));
  EXPECT_THAT(result.out, HasSubstr("good ranks first by consensus"));
  EXPECT_THAT(rank({"--metric", "logme"}).out, HasSubstr("good ranks first by LogME"));
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_EQ(lasting(json::parse(read_text(file("rank.json")))), lasting(rank_json({})));
}

TEST_F(RankCommand, TakesGlobalOptionsBeforeOrAfterTheCommand) {
  const Words command = {"rank", hub_.string(), "--labels", labels_.string()};
  const Words global = {"--json", "-", "--seed", "3", "--threads", "2", "--quiet"};
  Words before = global;
  before.insert(before.end(), command.begin(), command.end());
  Words after = command;
  after.insert(after.end(), global.begin(), global.end());
  EXPECT_EQ(lasting(json_of(run_assay(before))), lasting(json_of(run_assay(after))));
}

TEST_F(RankCommand, WithoutIntervalsWhatTheyHoldIsNull) {
  const json with = rank_json({});
  const json without = rank_json({"--ci", "0"});
  for (std::size_t i = 0; i < 3; ++i) {
    const json& model = without.at("models")[i];
    EXPECT_TRUE(model.at("rank_low").is_null());
    EXPECT_TRUE(model.at("rank_high").is_null());
    EXPECT_TRUE(model.at("scores").at("logme").at("low").is_null());
    EXPECT_TRUE(model.at("scores").at("logme").at("high").is_null());
    EXPECT_EQ(model.at("name"), with.at("models")[i].at("name"));
    EXPECT_NEAR(value_of(model), value_of(with.at("models")[i]), 1e-12);
  }
}

TEST_F(RankCommand, AHigherConfidenceWidensTheIntervals) {
  const json narrow = rank_json({"--ci", "0.8"}).at("models")[1].at("scores").at("logme");
  const json wide = rank_json({"--ci", "0.99"}).at("models")[1].at("scores").at("logme");
  EXPECT_EQ(narrow.at("value"), wide.at("value"));
  EXPECT_LT(wide.at("low"), narrow.at("low"));
  EXPECT_GT(wide.at("high"), narrow.at("high"));
}

TEST_F(RankCommand, DoesNotDependOnTheNumberOfThreads) {
  write_npy(hub_ / "wide.npy", test::gaussian(kSamples, 2 * kSamples, 5));  // by way of the kernel
  write_npy(hub_ / "many.npy", test::blobs(kClasses, kSamples / kClasses, 110, 1.0).features);
  const json one = lasting(rank_json({"--threads", "1", "--controls"}));
  EXPECT_EQ(one.dump(), lasting(rank_json({"--threads", "3", "--controls"})).dump());
}

TEST_F(RankCommand, DependsOnTheSeedInIntervalsByRefitsOnly) {
  EXPECT_EQ(lasting(rank_json({"--seed", "1"})).at("models").dump(),
            lasting(rank_json({"--seed", "2"})).at("models").dump());
  const json first = lasting(rank_json({"--seed", "1", "--jackknife", "refit"}));
  EXPECT_EQ(first.dump(), lasting(rank_json({"--seed", "1", "--jackknife", "refit"})).dump());
  const json other = lasting(rank_json({"--seed", "2", "--jackknife", "refit"}));
  for (std::size_t i = 0; i < 3; ++i) {
    const json& a = first.at("models")[i].at("scores").at("logme");
    const json& b = other.at("models")[i].at("scores").at("logme");
    EXPECT_NEAR(a.at("value").get<double>(), b.at("value").get<double>(), 1e-12);
    EXPECT_NE(a.at("low"), b.at("low"));
  }
}

TEST_F(RankCommand, CenteringGivesAnotherFiniteScore) {
  const json plain = rank_json({"--ci", "0"}).at("models");
  const json centred = rank_json({"--ci", "0", "--center"}).at("models");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isfinite(value_of(centred[i])));
    EXPECT_NE(value_of(plain[i]), value_of(centred[i]));
  }
}

TEST_F(RankCommand, CenteringForgetsWhereTheFeaturesLie) {
  write_npy(file("moved.npy"), Matrix(test::hub_features(2.0).array() + 100.0));
  const auto centred = [&](const Path& path) {
    return value_of(rank_json(path, labels_, {"--ci", "0", "--center"}).at("models").at(0));
  };
  EXPECT_NEAR(centred(file("moved.npy")), centred(hub_ / "fair.npy"), 1e-9);
}

TEST_F(RankCommand, ControlsAreNoiseThatScoresWorseThanAGoodModel) {
  EXPECT_THAT(rank_json({"--ci", "0"}).at("controls"), IsEmpty());
  const json result = rank_json({"--controls"});
  EXPECT_EQ(result.at("models").size(), 3U);
  ASSERT_EQ(result.at("controls").size(), 2U);
  EXPECT_EQ(result.at("controls")[1].at("name"), "good, labels permuted");
  EXPECT_LT(value_of(result.at("controls")[1]), value_of(result.at("models")[0]));
  const json& control = result.at("controls")[0];
  EXPECT_EQ(control.at("name"), "noise");
  EXPECT_EQ(control.at("dim"), kDim);
  EXPECT_EQ(control.at("n"), kSamples);
  EXPECT_LT(value_of(control), value_of(result.at("models")[0]));
  EXPECT_THAT(rank({"--controls"}).out, HasSubstr("(noise control)"));
}

TEST_F(RankCommand, GroupsChangeTheIntervalsOnly) {
  std::string groups;
  for (Index i = 0; i < kSamples; ++i) groups += fmt::format("video{}\n", i / 24);
  write_text(file("groups.txt"), groups);
  const json free = rank_json({});
  const json grouped = rank_json({"--groups", file("groups.txt").string()});
  EXPECT_EQ(grouped.at("folds"), 5);  // as many as there are groups
  const json& a = free.at("models")[1].at("scores").at("logme");
  const json& b = grouped.at("models")[1].at("scores").at("logme");
  EXPECT_NEAR(a.at("value").get<double>(), b.at("value").get<double>(), 1e-12);
  EXPECT_NE(a.at("low"), b.at("low"));
}

// Groups of two rows, small enough for intervals in closed form: only who is with whom matters, and
// a row with itself is no group at all.
TEST_F(RankCommand, GroupsAreWhoIsWithWhomNotWhatTheyAreCalled) {
  std::string numbers;
  std::string names;
  for (Index i = 0; i < kSamples; ++i) {
    numbers += fmt::format("{}\n", i / 2);
    names += fmt::format("patient {}\n", kSamples - i / 2);
  }
  write_text(file("numbers.txt"), numbers);
  write_text(file("names.txt"), names);
  const Words metrics = {"--metric", "logme,knn"};
  const auto scores = [&](const std::string& groups) {
    Words words = metrics;
    if (!groups.empty()) words.insert(words.end(), {"--groups", file(groups).string()});
    return rank_json(words).at("models").at(1).at("scores");
  };
  const json by_number = scores("numbers.txt");
  const json by_name = scores("names.txt");
  const json free = scores("");
  for (const char* metric : {"logme", "knn"}) {
    EXPECT_NEAR(by_number.at(metric).at("low").get<double>(),
                by_name.at(metric).at("low").get<double>(), 1e-12);
    EXPECT_NE(by_number.at(metric).at("low"), free.at(metric).at("low"));
  }
}

TEST_F(RankCommand, OutputsThatCannotBeWrittenAreFoundBeforeTheWork) {
  for (const char* option : {"--json", "--csv"}) {
    const CommandResult result = rank({option, (file("no") / "out").string()});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("there is no directory"));
    EXPECT_THAT(result.out, IsEmpty());
  }
}

TEST_F(RankCommand, OneGroupLeavesNoIntervals) {
  std::string groups;
  for (Index i = 0; i < kSamples; ++i) groups += "same\n";
  write_text(file("groups.txt"), groups);
  const json model = rank_json({"--groups", file("groups.txt").string()}).at("models").at(0);
  EXPECT_TRUE(model.at("rank_low").is_null());
  EXPECT_TRUE(model.at("scores").at("logme").at("low").is_null());
}

TEST_F(RankCommand, TheTruthAddsAnEvaluation) {
  write_text(file("truth.csv"),
             "name,accuracy,params\nfair,80,5\ngood,90,1\npoor,30,9\nother,1,1\n");
  const Words options = {"--truth", file("truth.csv").string()};
  const json metrics = rank_json(options).at("evaluation").at("metrics");
  EXPECT_EQ(metrics.at("logme").at("kendall"), 1.0);
  EXPECT_EQ(metrics.at("logme").at("top1"), true);
  EXPECT_EQ(metrics.at("logme").at("regret1"), 0.0);
  EXPECT_EQ(metrics.at("params").at("kendall"), -1.0);
  EXPECT_EQ(metrics.at("params").at("regret1"), 60.0);
  EXPECT_THAT(rank(options).out, HasSubstr("weighted tau"));
  EXPECT_FALSE(rank_json({}).contains("evaluation"));
}

TEST_F(RankCommand, WritesCsv) {
  std::filesystem::rename(hub_ / "fair.npy", hub_ / "a,\"b\".npy");
  const Path csv = file("rank.csv");
  const json models = rank_json({"--metric", "logme", "--csv", csv.string()}).at("models");
  const json& score = models[1].at("scores").at("logme");
  std::istringstream lines(read_text(csv));
  Words rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0], "name,rank,rank_low,rank_high,tie_group,n,dim,logme,logme_low,logme_high");
  EXPECT_THAT(rows[1], StartsWith("good,1,"));
  EXPECT_EQ(
      rows[2],
      fmt::format("\"a,\"\"b\"\"\",2,{},{},{},{},{},{},{},{}", models[1].at("rank_low").get<int>(),
                  models[1].at("rank_high").get<int>(), models[1].at("tie_group").get<int>(),
                  kSamples, kDim, score.at("value").get<double>(), score.at("low").get<double>(),
                  score.at("high").get<double>()));
}

TEST_F(RankCommand, JsonStaysJsonWhateverAFileIsCalled) {
  write_npy(hub_ / "a \"quoted\"\n\xFF.npy", test::hub_features(1.0));
  EXPECT_EQ(rank_json({"--ci", "0"}).at("models").size(), 4U);
}

TEST_F(RankCommand, LeavesOutADamagedFileAndSaysSo) {
  std::filesystem::resize_file(hub_ / "fair.npy", 1000);
  Matrix holed = test::hub_features(2.0);
  holed(17, 5) = std::numeric_limits<double>::quiet_NaN();
  write_npy(hub_ / "holed.npy", holed);
  const CommandResult result = rank({"--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const json all = json_of(result);
  EXPECT_EQ(all.at("models").size(), 2U);
  ASSERT_EQ(all.at("failed").size(), 2U);
  EXPECT_EQ(all.at("failed")[0].at("name"), "fair");
  EXPECT_THAT(all.at("failed")[0].at("error").get<std::string>(), HasSubstr("fair.npy"));
  EXPECT_EQ(all.at("failed")[1].at("name"), "holed");
  EXPECT_THAT(all.at("failed")[1].at("error").get<std::string>(),
              HasSubstr("holed.npy: row 17, column 5 is NaN"));
  EXPECT_THAT(result.err, HasSubstr("'holed'"));
}

TEST_F(RankCommand, LeavesOutAModelOfAnotherLength) {
  write_npy(hub_ / "short.npy", Matrix(test::hub_features(1.0).topRows(100)));
  const CommandResult result = rank({"--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const json failed = json_of(result).at("failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].at("name"), "short");
  EXPECT_THAT(failed[0].at("error").get<std::string>(), HasSubstr("100"));
  EXPECT_THAT(failed[0].at("error").get<std::string>(), HasSubstr("120"));
}

TEST_F(RankCommand, FailsWhenNothingIsLeft) {
  write_text(file("few.txt"), "a\nb\na\n");
  const CommandResult result = rank(hub_, file("few.txt"), {"--json", "-"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("nothing left to rank"));
  EXPECT_THAT(result.err, HasSubstr("few.txt has 3 labels"));
  EXPECT_THAT(result.err, HasSubstr("(the same with 2 more)"));
  EXPECT_EQ(result.err.find("few.txt has 3 labels"), result.err.rfind("few.txt has 3 labels"));
}

TEST_F(RankCommand, RefusesLabelsOfOneClass) {
  write_text(file("same.txt"), label_lines({"cat", "cat", "cat"}));
  const CommandResult result = rank(hub_, file("same.txt"), {});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("same.txt: only one class, 'cat'"));
}

TEST_F(RankCommand, RefusesATruthOfOtherModels) {
  write_text(file("truth.csv"), "name,accuracy\nresnet,90\n");
  const CommandResult result = rank({"--truth", file("truth.csv").string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("resnet"));
}

}  // namespace
}  // namespace assay
