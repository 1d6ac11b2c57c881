// Tests: curve/certify_probe, curve/curve_hub, curve/curve_hub_json, curve/hub_spread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::entries_of;
using test::json_of;
using test::kSamples;
using test::read_text;
using test::run_assay;
using test::write_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

// The models, without what depends on the run: everything that must not change.
json models_of(const CommandResult& result) { return json_of(result).at("models"); }

class CurveCommand : public test::HubTest {
 protected:
  CurveCommand() { ::setenv("ASSAY_CACHE", file("cache").c_str(), 1); }
  ~CurveCommand() override { ::unsetenv("ASSAY_CACHE"); }

  Words words(const Words& options) const {
    Words all = {"curve", hub_.string(), "--labels", labels_.string()};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  CommandResult curve(const Words& options) const { return run_assay(words(options)); }

  Index journalled() const {
    Index lines = 0;
    if (!std::filesystem::exists(file("journal"))) return 0;
    for (const auto& entry : std::filesystem::directory_iterator(file("journal"))) {
      const std::string text = read_text(entry.path());
      lines += std::ranges::count(text, '\n') - 1;  // the first describes the rest
    }
    return lines;
  }
};

TEST_F(CurveCommand, MeasuresEveryModelAtEverySize) {
  const CommandResult result = curve({"--sizes", "5", "--seeds", "3", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json all = json_of(result);
  EXPECT_EQ(all.at("train_rows"), 96);
  EXPECT_EQ(all.at("validation_rows"), 24);
  EXPECT_NEAR(all.at("label_entropy").get<double>(), std::log(3.0), 1e-12);
  ASSERT_EQ(all.at("models").size(), 3U);
  for (const json& model : all.at("models")) {
    const json& points = model.at("curve");
    ASSERT_EQ(points.size(), 5U);
    EXPECT_EQ(points.front().at("n"), 10);
    EXPECT_EQ(points.back().at("n"), 96);
    EXPECT_GT(points.back().at("loss_sd").get<double>(), 0.0);  // every seed has a split of its own
    for (const json& point : points) {
      EXPECT_LT(point.at("loss_low").get<double>(), point.at("loss").get<double>());
      EXPECT_GT(point.at("loss_high").get<double>(), point.at("loss").get<double>());
    }
    EXPECT_EQ(model.at("forecast").size(), 10U);
    EXPECT_EQ(model.at("l2").size(), 5U);
    EXPECT_GT(points.front().at("loss_sd").get<double>(), 0.0);
    EXPECT_EQ(model.at("va"), points.back().at("loss"));
    EXPECT_EQ(model.at("not_converged"), 0);
    EXPECT_EQ(model.at("dim"), test::kDim);
  }
  EXPECT_LT(all.at("models")[1].at("va").get<double>(), 0.2);  // good
  EXPECT_GT(all.at("models")[2].at("va").get<double>(), 0.8);  // poor
}

TEST_F(CurveCommand, TakesASingleSizeWithAComma) {
  const json model = models_of(curve({"--sizes", "50,", "--json", "-"}))[0];
  ASSERT_EQ(model.at("curve").size(), 1U);
  EXPECT_EQ(model.at("curve")[0].at("n"), 50);
}

TEST_F(CurveCommand, DoesNotDependOnThreads) {
  for (const Words& probe : {Words{"--probe", "linear"},
                             Words{"--probe", "mlp", "--hidden", "16,8", "--updates", "20"}}) {
    Words options = {"--sizes", "3", "--seeds", "2", "--refine", "--no-journal", "--json", "-"};
    options.insert(options.end(), probe.begin(), probe.end());
    Words one = options;
    Words four = options;
    one.insert(one.end(), {"--threads", "1"});
    four.insert(four.end(), {"--threads", "4"});
    EXPECT_EQ(models_of(curve(one)), models_of(curve(four)));
  }
}

TEST_F(CurveCommand, SurvivesKillAndGoesOnWithTheSameResult) {
  const Words slow = {"--probe", "mlp", "--hidden",  "64,64", "--updates", "1500", "--sizes", "4",
                      "--seeds", "2",   "--threads", "2",     "--json",    "-"};
  Words kept = slow;
  kept.insert(kept.end(), {"--journal", file("journal").string()});
  const CommandResult killed =
      test::run_assay_until(words(kept), [&] { return journalled() >= 3; });
  ASSERT_EQ(killed.exit_code, 128 + SIGKILL);
  const Index finished = journalled();
  ASSERT_GE(finished, 3);
  const json resumed = json_of(curve(kept));
  EXPECT_GE(resumed.at("resumed").get<Index>(), finished);
  EXPECT_EQ(resumed.at("probes"), 24);
  Words undisturbed = slow;
  undisturbed.emplace_back("--no-journal");
  const json whole = json_of(curve(undisturbed));
  EXPECT_EQ(whole.at("resumed"), 0);
  EXPECT_EQ(whole.at("models"), resumed.at("models"));
}

TEST_F(CurveCommand, AddsSeedsAndSizesToAnEarlierRun) {
  const std::string journal = file("journal").string();
  const Words small = {"--sizes", "10,20", "--seeds", "2", "--journal", journal, "--json", "-"};
  EXPECT_EQ(json_of(curve(small)).at("resumed"), 0);
  const json more =
      json_of(curve({"--sizes", "10,20,40", "--seeds", "3", "--journal", journal, "--json", "-"}));
  EXPECT_EQ(more.at("resumed"), 12);  // 3 models x 2 seeds x 2 sizes
  EXPECT_EQ(more.at("probes"), 27);
  const json fresh =
      json_of(curve({"--sizes", "10,20,40", "--seeds", "3", "--no-journal", "--json", "-"}));
  EXPECT_EQ(more.at("models"), fresh.at("models"));
  // Another penalty, seed or share are other probes.
  for (const Words& other :
       {Words{"--l2", "2"}, Words{"--seed", "5"}, Words{"--validation-share", "0.3"}}) {
    Words options = small;
    options.insert(options.end(), other.begin(), other.end());
    EXPECT_EQ(json_of(curve(options)).at("resumed"), 0) << other[0];
  }
}

TEST_F(CurveCommand, KeepsItsJournalInTheCacheByDefault) {
  curve({"--sizes", "2", "--seeds", "1"});
  EXPECT_EQ(entries_of(file("cache")), Words{"curves"});
  EXPECT_THAT(curve({"--sizes", "2", "--seeds", "1"}).err, HasSubstr("taken from the journal"));
}

TEST_F(CurveCommand, AnswersInWords) {
  const CommandResult loss = curve({"--sizes", "6", "--l2", "10", "--target-loss", "0.4"});
  EXPECT_THAT(loss.out, HasSubstr("good needs about"));
  const CommandResult easy = curve({"--sizes", "6", "--target-loss", "50"});
  EXPECT_THAT(easy.out, HasSubstr("labels or fewer to reach a loss of 50 nats"));
  EXPECT_THAT(loss.out, HasSubstr("a loss of 0.4 nats"));
  EXPECT_THAT(loss.out, HasSubstr("SDL(ε=0.4)"));
  const json all = json_of(curve({"--sizes", "6", "--target-accuracy", "0.85", "--json", "-"}));
  EXPECT_THAT(all.at("answer").get<std::string>(), HasSubstr("an accuracy of 0.85"));
  const json good = all.at("models")[1].at("target_accuracy");
  EXPECT_LE(good.at("low").get<double>(), good.at("labels").get<double>());
  EXPECT_GE(good.at("high").get<double>(), good.at("labels").get<double>());
  EXPECT_THAT(curve({"--target-loss", "0"}).out, HasSubstr("No model reaches"));
  EXPECT_EQ(good.at("reach"), "measured");
  EXPECT_NEAR(good.at("labels_with_validation").get<double>(),
              good.at("labels").get<double>() / 0.8, 1e-9);
  EXPECT_EQ(all.at("needs_fewer").size(), 2U);
  EXPECT_EQ(all.at("needs_fewer")[0].at("first"), "good");
}

TEST_F(CurveCommand, WritesCurvesThatMeasureReadsBack) {
  const auto csv = file("curves.csv").string();
  const json own =
      json_of(curve({"--sizes", "4", "--epsilon", "0.5", "--curves", csv, "--json", "-"}));
  const json again = json_of(
      run_assay({"curve", "measure", csv, "--classes", "3", "--epsilon", "0.5", "--json", "-"}));
  for (std::size_t i = 0; i < 3; ++i) {
    json model = own.at("models")[i];  // intervals need the rows' losses, which are not in the file
    for (const char* key : {"curve", "sdl", "esc"}) {
      for (json& entry : model[key]) {
        for (const char* interval : {"low", "high", "high_is_bound", "loss_low", "loss_high"})
          entry.erase(interval);
      }
    }
    for (const char* key : {"name", "curve", "va", "mdl", "sdl", "esc"})
      EXPECT_EQ(model.at(key), again.at("models")[i].at(key)) << key;
  }
}

// They would look as if they had been obeyed.
TEST_F(CurveCommand, MeasureRefusesTheOptionsOfProbes) {
  const auto csv = file("curves.csv").string();
  curve({"--sizes", "2", "--seeds", "1", "--curves", csv});
  for (const Words& option :
       {Words{"--target-loss", "0.3"}, Words{"--refine"}, Words{"--seeds", "2"},
        Words{"--probe", "mlp"}, Words{"--certify", "0.1"}}) {
    Words words = {"curve", "measure", csv, "--classes", "3"};
    words.insert(words.end(), option.begin(), option.end());
    const CommandResult result = run_assay(words);
    EXPECT_EQ(result.exit_code, 2) << option[0];
    EXPECT_THAT(result.err, HasSubstr(option[0] + " is an option of curve"));
  }
}

TEST_F(CurveCommand, KeepsGroupsTogether) {
  std::string ids;
  for (Index i = 0; i < kSamples; ++i) ids += "sentence " + std::to_string(i / 4) + "\n";
  write_text(file("groups.txt"), ids);
  const json all =
      json_of(curve({"--sizes", "3", "--groups", file("groups.txt").string(), "--json", "-"}));
  EXPECT_EQ(all.at("groups"), kSamples / 4);
  EXPECT_EQ(all.at("train_rows"), 96);
  EXPECT_EQ(curve({"--groups", file("groups.txt").string(), "--certify", "0.1", "--epsilon", "0.5"})
                .exit_code,
            2);
}

TEST_F(CurveCommand, ZeroOneLossIsOneMinusAccuracy) {
  const json all = json_of(curve({"--sizes", "3", "--loss", "zero-one", "--json", "-"}));
  for (const json& point : all.at("models")[0].at("curve")) {
    EXPECT_NEAR(point.at("loss").get<double>(), 1.0 - point.at("accuracy").get<double>(), 1e-15);
  }
  EXPECT_NEAR(all.at("chance").get<double>(), 2.0 / 3.0, 1e-15);
}

TEST_F(CurveCommand, ExportsNestedSubsets) {
  const auto folder = file("subsets");
  curve({"--sizes", "10,50", "--seeds", "2", "--export-subsets", folder.string()});
  EXPECT_THAT(entries_of(folder),
              ElementsAre("order_seed_0.npy", "order_seed_1.npy", "subsets.json",
                          "validation_rows_seed_0.npy", "validation_rows_seed_1.npy"));
  const json about = json::parse(read_text(folder / "subsets.json"));
  EXPECT_EQ(about.at("sizes"), json({10, 50}));
  EXPECT_EQ(about.at("seeds"), json({0, 1}));
  std::vector<Index> rows;
  for (const char* name : {"order_seed_0.npy", "validation_rows_seed_0.npy"}) {
    const Array array = open_npy(folder / name);
    for (Index i = 0; i < array.size(); ++i) rows.push_back(integer_at(array, i));
  }
  std::ranges::sort(rows);
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kSamples));  // every row once
  for (Index i = 0; i < kSamples; ++i) EXPECT_EQ(rows[static_cast<std::size_t>(i)], i);
}

TEST_F(CurveCommand, RefinesTheSampleComplexityOnly) {
  const Words options = {"--sizes", "4", "--epsilon", "0.5", "--json", "-"};
  const json coarse = models_of(curve(options));
  Words finer = options;
  finer.emplace_back("--refine");
  const json fine = models_of(curve(finer));
  const json& good = fine[1];
  EXPECT_LE(good.at("esc")[0].at("value").get<double>(),
            coarse[1].at("esc")[0].at("value").get<double>());
  EXPECT_EQ(good.at("sdl")[0].at("value"), coarse[1].at("sdl")[0].at("value"));
  EXPECT_EQ(good.at("mdl"), coarse[1].at("mdl"));
  EXPECT_EQ(good.at("refined")[0].at("reached"), good.at("esc")[0].at("value"));
  EXPECT_GT(good.at("refined_curve").size(), good.at("curve").size());
}

TEST_F(CurveCommand, RefusesACertificateWithTheNumberOfRowsItTakes) {
  const CommandResult result =
      curve({"--sizes", "4", "--epsilon", "0.5", "--certify", "0.05", "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  const json one = models_of(result)[1].at("certificates")[0];
  EXPECT_EQ(one.at("rows_available"), 96);
  EXPECT_EQ(one.at("rows_needed").get<Index>(),
            (one.at("rows_per_draw").get<Index>() + 1) * one.at("draws").get<Index>());
  EXPECT_THAT(one.at("refused").get<std::string>(), HasSubstr("independent rows are needed"));
  EXPECT_FALSE(one.contains("sdl"));
}

TEST_F(CurveCommand, RefusesACertificateThatWouldSayNothing) {
  const CommandResult result = curve({"--sizes", "4", "--epsilon", "1.5", "--certify", "0.5",
                                      "--certify-rows", "5", "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(models_of(result)[1].at("certificates")[0].at("refused").get<std::string>(),
              HasSubstr("cut off at 1"));
}

// ceil(2 ln(20 * 1 / 0.5) / 0.9^2) = 10 draws of 5 + 1 rows: 60 of the 96.
TEST_F(CurveCommand, CertifiesWhatTheRowsAllow) {
  const json good = models_of(curve({"--sizes", "4", "--epsilon", "0.9", "--certify", "0.5",
                                     "--certify-rows", "5", "--json", "-"}))[1];
  const json one = good.at("certificates")[0];
  EXPECT_EQ(one.at("draws"), 10);
  EXPECT_EQ(one.at("rows_needed"), 60);
  EXPECT_NEAR(one.at("sdl").at("radius").get<double>(), 5 * std::sqrt(std::log(20.0) / 20.0),
              1e-12);
  EXPECT_GE(one.at("sdl").at("value").get<double>(), 0.0);
  EXPECT_LE(one.at("sdl").at("value").get<double>(), 5 * 0.1 + 1e-12);  // losses are cut at 1
  EXPECT_EQ(one.at("esc").at("tested_against"), 0.45);
}

TEST_F(CurveCommand, TakesRegressionTargetsWithRidge) {
  const Matrix features = test::hub_features(2.0);
  std::string lines;
  for (Index i = 0; i < kSamples; ++i) lines += std::to_string(features(i, 0) + 0.5) + "\n";
  write_text(file("values.txt"), lines);
  const json all = json_of(run_assay({"curve", (hub_ / "fair.npy").string(), "--labels",
                                      file("values.txt").string(), "--sizes", "4", "--json", "-"}));
  EXPECT_EQ(all.at("loss"), "mse");
  EXPECT_EQ(all.at("probe").at("kind"), "ridge");
  EXPECT_TRUE(all.at("models")[0].at("mi").is_null());
  EXPECT_LT(all.at("models")[0].at("va").get<double>(), 0.05 * all.at("chance").get<double>());
  const CommandResult wrong = run_assay(
      {"curve", hub_.string(), "--labels", file("values.txt").string(), "--probe", "linear"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("use ridge"));
}

TEST_F(CurveCommand, TakesTargetsThatAreConstant) {
  std::string lines;
  for (Index i = 0; i < kSamples; ++i) lines += "1.5\n";
  write_text(file("values.txt"), lines);
  const CommandResult result =
      run_assay({"curve", (hub_ / "fair.npy").string(), "--labels", file("values.txt").string(),
                 "--sizes", "4", "--target-loss", "0.1", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json_of(result).at("models")[0].at("va"), 0.0);
}

TEST_F(CurveCommand, TakesValidationFeaturesOfTheirOwn) {
  const json all = json_of(curve({"--validation", hub_.string(), "--validation-labels",
                                  labels_.string(), "--sizes", "3", "--json", "-"}));
  EXPECT_EQ(all.at("train_rows"), kSamples);
  EXPECT_EQ(all.at("validation_rows"), kSamples);
  EXPECT_EQ(curve({"--validation", hub_.string()}).exit_code, 2);
}

TEST_F(CurveCommand, KeepsToTheMemoryLimit) {
  const CommandResult result = curve({"--memory-limit", "20000"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--memory-limit"));
}

TEST_F(CurveCommand, LeavesOutAModelThatFails) {
  write_npy(hub_ / "short.npy", Matrix(test::hub_features(1.0).topRows(100)));
  const CommandResult result = curve({"--sizes", "2", "--json", "-"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(json_of(result).at("failed")[0].at("name"), "short");
  EXPECT_EQ(models_of(result).size(), 3U);
}

TEST_F(CurveCommand, RefusesWhatItCannotMeasure) {
  for (const Words& options : {Words{"--sizes", "10,5000"},
                               Words{"--sizes", "0"},
                               Words{"--sizes", "ten"},
                               Words{"--sizes", "99999"},
                               Words{"--validation-share", "nan"},
                               Words{"--stop-loss", "nan"},
                               Words{"--hidden", "0"},
                               Words{"--hidden", "16,1e9"},
                               Words{"--seeds", "0"},
                               Words{"--probe", "forest"},
                               Words{"--probe", "ridge"},
                               Words{"--loss", "mse"},
                               Words{"--l2", "0"},
                               Words{"--l2", "nan"},
                               Words{"--l2", "strong"},
                               Words{"--hidden", "16"},
                               Words{"--probe", "mlp", "--l2", "1"},
                               Words{"--updates", "5"},
                               Words{"--lr", "0.1"},
                               Words{"--probe", "mlp", "--lr", "0"},
                               Words{"--probe", "mlp", "--mlp-batch", "0"},
                               Words{"--certify-rows", "5"},
                               Words{"--groups", "missing.npy"},
                               Words{"--certify", "1"},
                               Words{"--certify", "0.1", "--epsilon", "0"},
                               Words{"--target-accuracy", "95"},
                               Words{"--target-loss", "-1"},
                               Words{"--journal", "x", "--no-journal"}}) {
    const CommandResult result = curve(options);
    EXPECT_EQ(result.exit_code, 2) << options[0] << " " << options[1];
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, testing::Not(IsEmpty()));
  }
  EXPECT_THAT(run_assay({"curve", hub_.string()}).err, HasSubstr("--labels"));
  write_text(file("same.txt"), test::label_lines({"cat", "cat", "cat"}));
  EXPECT_THAT(run_assay({"curve", hub_.string(), "--labels", file("same.txt").string()}).err,
              HasSubstr("only one class"));
}

}  // namespace
}  // namespace assay
