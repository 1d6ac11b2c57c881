// Tests: tune/finetuned_truth, learn/linear_probe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::kSamples;
using test::read_text;
using test::run_assay;
using test::write_text;
using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::string>;

class TruthCommand : public test::HubTest {
 protected:
  CommandResult truth(const Words& options) const {
    Words words = {"truth", hub_.string(), "--labels", labels_.string()};
    words.insert(words.end(), options.begin(), options.end());
    return run_assay(words);
  }
};

TEST_F(TruthCommand, MeasuresEveryModelInSeveralRuns) {
  const json once = json_of(truth({"--runs", "1", "--json", "-"}));
  EXPECT_TRUE(once.at("models").at(0).at("accuracy_sd").is_null());
  EXPECT_EQ(once.at("provenance").at("inputs").size(), 4U);  // labels and three models
  const json all = json_of(truth({"--runs", "3", "--json", "-"}));
  ASSERT_EQ(all.at("models").size(), 3U);
  EXPECT_EQ(all.at("models")[0].at("name"), "good");
  EXPECT_EQ(all.at("models")[2].at("name"), "poor");
  EXPECT_GT(all.at("models")[0].at("accuracy").get<double>(), 0.9);
  EXPECT_LT(all.at("models")[2].at("accuracy").get<double>(), 0.6);
  for (const json& model : all.at("models")) {
    EXPECT_EQ(model.at("runs").size(), 3U);
    EXPECT_EQ(model.at("train").get<int>() + model.at("test").get<int>(), kSamples);
    EXPECT_NEAR(model.at("test").get<double>(), 0.3 * kSamples, 2.0);
  }
  EXPECT_EQ(json_of(truth({"--runs", "3", "--json", "-", "--threads", "1"})).at("models"),
            all.at("models"));
}

TEST_F(TruthCommand, WritesWhatEvaluateAndRankRead) {
  const auto csv = file("truth.csv").string();
  EXPECT_EQ(truth({"--out", csv}).exit_code, 0);
  EXPECT_THAT(read_text(csv), StartsWith("name,accuracy,accuracy_sd,runs,train,test,dim\ngood,"));
  const json ranked = json_of(run_assay({"rank", hub_.string(), "--labels", labels_.string(),
                                         "--ci", "0", "--truth", csv, "--json", "-"}));
  EXPECT_EQ(ranked.at("evaluation").at("metrics").at("ridge_loo").at("kendall"), 1.0);
}

TEST_F(TruthCommand, TakesTestFeaturesOfTheSameNames) {
  const CommandResult same = truth({"--test", hub_.string(), "--test-labels", labels_.string(),
                                    "--json", "-"});  // tested on what it was trained on
  const json models = json_of(same).at("models");
  EXPECT_EQ(models[0].at("test"), kSamples);
  EXPECT_EQ(models[0].at("train"), kSamples);
  std::filesystem::create_directory(file("few"));
  std::filesystem::copy(hub_ / "good.npy", file("few") / "good.npy");
  const CommandResult few =
      truth({"--test", file("few").string(), "--test-labels", labels_.string(), "--json", "-"});
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_EQ(json_of(few).at("models").size(), 1U);
  EXPECT_THAT(few.err, HasSubstr("no features of this name"));
}

TEST_F(TruthCommand, MeasuresR2OfNumbersAndPrecisionOfSeveralLabels) {
  std::string numbers = "value\n";
  std::string several = "a,b\n";
  for (Index i = 0; i < kSamples; ++i) {
    numbers += std::to_string(static_cast<double>(i % 3) * 2.5 + 100.5) + "\n";
    several += i % 3 == 0 ? "1,0\n" : i % 3 == 1 ? "0,1\n" : "1,1\n";
  }
  write_text(file("numbers.csv"), numbers);
  write_text(file("several.csv"), several);
  for (const auto& [labels, unit] : std::vector<std::pair<const char*, const char*>>{
           {"numbers.csv", "R2"}, {"several.csv", "average precision"}}) {
    const json all = json_of(run_assay(
        {"truth", hub_.string(), "--labels", file(labels).string(), "--runs", "2", "--json", "-"}));
    EXPECT_EQ(all.at("unit"), unit);
    EXPECT_EQ(all.at("models")[0].at("name"), "good");
    // A guess has an R2 of 0, and an average precision of 2/3, the share of positives.
    EXPECT_GT(all.at("models")[0].at("accuracy").get<double>(), 0.7);
    EXPECT_LT(all.at("models")[2].at("accuracy").get<double>(),
              all.at("models")[0].at("accuracy").get<double>());
  }
  const CommandResult other =
      truth({"--test", hub_.string(), "--test-labels", file("numbers.csv").string()});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("the same kind of targets"));
}

TEST_F(TruthCommand, RefusesWhatItCannotMeasure) {
  EXPECT_THAT(truth({"--test", hub_.string()}).err, HasSubstr("--test-labels"));
  EXPECT_THAT(truth({"--protocol", "finetune"}).err, HasSubstr("networks"));
  write_text(file("values.txt"), "0.5\n1.5\n");
  const CommandResult values =
      run_assay({"truth", hub_.string(), "--labels", file("values.txt").string()});
  EXPECT_EQ(values.exit_code, 2);
  EXPECT_THAT(values.err, HasSubstr("one label per row"));
  std::string other;
  for (Index i = 0; i < kSamples; ++i) other += i % 2 == 0 ? "unseen\n" : "seen\n";
  write_text(file("other.txt"), other);
  EXPECT_THAT(truth({"--test", hub_.string(), "--test-labels", file("other.txt").string()}).err,
              HasSubstr("does not occur"));
}

}  // namespace
}  // namespace assay
