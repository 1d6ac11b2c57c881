// Results of every kind, made by the command, and their sentences against their numbers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using Json = nlohmann::json;
using test::json_of;
using test::kClasses;
using test::kSamples;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string verdict_of(const Json& result) { return result.at("verdict").get<std::string>(); }

// The first number that stands right after `words`.
double number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) {
    ADD_FAILURE() << "'" << words << "' is not in: " << text;
    return 0.0;
  }
  return std::stod(text.substr(at + words.size()));
}

class Verdicts : public test::HubTest {
 protected:
  Path noise_hub(std::uint64_t seed) const {
    const Path hub = file("noise" + std::to_string(seed));
    std::filesystem::create_directories(hub);
    for (const char* name : {"m1", "m2", "m3"}) {
      const Matrix noise =
          test::gaussian(kSamples, 16, 10 * seed + static_cast<std::uint64_t>(name[1]));
      write_npy(hub / (std::string(name) + ".npy"), noise);
    }
    return hub;
  }
};

// Every sentence about guessing says what the numbers say.
void check_guessing(const Json& result) {
  const std::string verdict = verdict_of(result);
  bool any = false;
  bool all_known = true;
  for (const Json& model : result.at("models")) {
    const Json& beats = model.at("beats_guessing");
    any = any || beats == true;
    all_known = all_known && !beats.is_null();
    for (const auto& [metric, score] : model.at("scores").items()) {
      const std::string unit = result.at("metrics").at(metric).at("unit");
      if (unit == "accuracy") {
        EXPECT_NEAR(score.at("chance"), 1.0 / kClasses, 1e-12) << metric;
      }
      if (unit == "error") {
        EXPECT_NEAR(score.at("chance"), 1.0 - 1.0 / kClasses, 1e-12);
      }
    }
  }
  if (any || all_known) {
    EXPECT_EQ(result.at("guessing").at("beaten"), any);
  } else {
    EXPECT_TRUE(result.at("guessing").at("beaten").is_null());
  }
  EXPECT_EQ(verdict.starts_with("No model beats guessing"), !any && all_known) << verdict;
}

TEST_F(Verdicts, OfNoiseSayThatNothingBeatsGuessing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Json result = rank_json(noise_hub(seed), labels_, {"--metric", "default,linear_valid"});
    check_guessing(result);
    const std::string verdict = verdict_of(result);
    EXPECT_THAT(verdict, Not(HasSubstr("choose among")));
    const std::regex best("is the (\\w+) of (m\\d): ([-0-9.]+) ");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(verdict, found, best)) << verdict;
    bool named = false;
    for (const Json& model : result.at("models")) {
      if (model.at("name") != found[2].str()) continue;
      named = true;
      const Json& score = model.at("scores").at(found[1].str());
      EXPECT_EQ(found[3].str(), fmt::format("{:.4f}", score.at("value").get<double>()));
      EXPECT_NEAR(number_after(verdict, "interval "), score.at("low"), 5e-5);
    }
    EXPECT_TRUE(named);
  }
}

// Features whose mean is far from zero let LogME fit an intercept: that alone is no knowledge.
TEST_F(Verdicts, OfNoiseWithAMeanByLogmeAloneAreNoBetter) {
  const Path hub = file("shifted");
  std::filesystem::create_directories(hub);
  for (const char* name : {"m1", "m2", "m3"}) {
    const Matrix noise = test::gaussian(kSamples, 16, static_cast<std::uint64_t>(name[1]));
    write_npy(hub / (std::string(name) + ".npy"), Matrix((noise.array() + 3.0).matrix()));
  }
  const Json result = rank_json(hub, labels_, {"--metric", "logme"});
  EXPECT_GT(result.at("models")[0].at("scores").at("logme").at("gain"), 0.1);
  EXPECT_NE(result.at("guessing").at("beaten"), true) << verdict_of(result);
}

TEST_F(Verdicts, OfAClearWinnerNameTheFirstModel) {
  const Json result = rank_json({"--metric", "default"});
  check_guessing(result);
  const Json& first = result.at("models")[0];
  EXPECT_THAT(verdict_of(result), StartsWith(first.at("name").get<std::string>() + " ranks first"));
  const bool alone = first.at("separable_from").size() + 1 == result.at("models").size();
  EXPECT_EQ(verdict_of(result).find("ahead of every other") != std::string::npos, alone);
}

TEST_F(Verdicts, OfTiesNameEveryModelThatIsNotSeparable) {
  std::filesystem::copy(hub_ / "good.npy", hub_ / "twin.npy");
  const Json result = rank_json({"--metric", "logme"});
  check_guessing(result);
  const std::string verdict = verdict_of(result);
  const std::string winner = result.at("models")[0].at("name");
  EXPECT_THAT(verdict,
              HasSubstr("cannot tell it from " + std::string(winner == "good" ? "twin" : "good")));
}

TEST_F(Verdicts, OfOneModelCompareNothing) {
  const Json result = rank_json(hub_ / "good.npy", labels_, {"--metric", "logme"});
  check_guessing(result);
  EXPECT_THAT(verdict_of(result), HasSubstr("It is the only model"));
  const Json noise = rank_json(noise_hub(1) / "m1.npy", labels_, {"--metric", "knn"});
  check_guessing(noise);
  EXPECT_THAT(verdict_of(noise), HasSubstr("It is the only model"));
}

TEST_F(Verdicts, OfARunWithFailuresSpeakOfTheOthers) {
  write_text(hub_ / "broken.npy", "not an array");
  const auto result =
      run_assay({"rank", hub_.string(), "--labels", labels_.string(), "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = json_of(result);
  check_guessing(json);
  EXPECT_EQ(json.at("failed").size(), 1U);
  EXPECT_THAT(verdict_of(json), Not(HasSubstr("broken")));
}

TEST_F(Verdicts, OfAnEvaluationGiveTheIntervalOfItsNumbers) {
  std::string scores = "name,one,two\n";
  std::string truth = "name,accuracy,params\n";
  for (int i = 0; i < 9; ++i) {
    scores += fmt::format("m{},{},{}\n", i, i, i % 2 == 0 ? i : 10 - i);
    truth += fmt::format("m{},{},{}\n", i, 0.5 + 0.01 * i, 100 - i);
  }
  write_text(file("scores.csv"), scores);
  write_text(file("truth.csv"), truth);
  const Json result = json_of(run_assay({"evaluate", "--scores", file("scores.csv").string(),
                                         "--truth", file("truth.csv").string(), "--json", "-"}));
  const Json& best = result.at("best");
  const std::string verdict = verdict_of(result);
  EXPECT_THAT(verdict, StartsWith(best.at("metric").get<std::string>()));
  EXPECT_NEAR(number_after(verdict, "weighted tau "), best.at("weighted_kendall"), 5e-4);
  EXPECT_NEAR(number_after(verdict, "interval "), best.at("low"), 5e-4);
  EXPECT_EQ(verdict.find("not separable") != std::string::npos,
            !best.at("not_separable_from").empty());
  EXPECT_EQ(result.at("metrics").at("one").at("weighted_kendall"), best.at("weighted_kendall"));
}

TEST_F(Verdicts, OfSampledTasksCompareTaskByTask) {
  const std::string tasks = file("tasks.npy").string();
  ASSERT_EQ(run_assay({"prior", "sample", (hub_ / "good.npy").string(), "--classes", "3", "--tasks",
                       "12", "--out", tasks, "--quiet"})
                .exit_code,
            0);
  const Json result =
      json_of(run_assay({"prior", "probe", hub_.string(), "--tasks", tasks, "--json", "-"}));
  double highest = 0.0;
  std::string name;
  for (const Json& model : result.at("models")) {
    if (model.at("mean") > highest) name = model.at("name");
    highest = std::max(highest, model.at("mean").get<double>());
  }
  const std::string verdict = verdict_of(result);
  EXPECT_THAT(verdict, StartsWith(name));
  EXPECT_THAT(verdict, HasSubstr(fmt::format("{:.4f} ±", highest)));
  EXPECT_EQ(verdict.find("not separable") != std::string::npos,
            !result.at("not_separable_from_best").empty());
}

}  // namespace
}  // namespace assay
