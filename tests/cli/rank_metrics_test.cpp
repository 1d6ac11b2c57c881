#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::kSamples;
using test::lasting;
using test::write_text;
using testing::HasSubstr;

using Path = std::filesystem::path;
using Words = std::vector<std::string>;

class RankMetrics : public test::HubTest {};

TEST_F(RankMetrics, DefaultIsTheConsensusOfFourMetrics) {
  const json all = rank_json({});
  EXPECT_EQ(all.at("by"), "consensus");
  Words names;
  for (const auto& [name, about] : all.at("metrics").items()) names.push_back(name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("logme", "ridge_loo", "knn", "ncc_loo"));
  double previous = 0.0;
  for (const json& model : all.at("models")) {
    EXPECT_GE(model.at("consensus").get<double>(), previous);
    previous = model.at("consensus");
    for (const char* metric : {"logme", "ridge_loo", "knn", "ncc_loo"}) {
      EXPECT_LE(model.at("scores").at(metric).at("low"), model.at("scores").at(metric).at("value"));
    }
  }
}

TEST_F(RankMetrics, OthersVoteWhereTheyAreAskedFor) {
  const json result =
      rank_json({"--metric", "logme,hscore,pactran_gauss", "--by", "consensus", "--ci", "0"});
  EXPECT_EQ(result.at("by"), "consensus");
  EXPECT_TRUE(result.at("models")[0].at("scores").at("pactran_gauss").at("low").is_null());
}

TEST_F(RankMetrics, RefitGivesIntervalsToTheCostlyMetrics) {
  const json models = rank_json({"--metric", "pactran_gauss,linear", "--refit"}).at("models");
  for (const json& model : models) {
    for (const char* metric : {"pactran_gauss", "linear"}) {
      const json& score = model.at("scores").at(metric);
      EXPECT_LT(score.at("low"), score.at("value")) << metric;
      EXPECT_GT(score.at("high"), score.at("value")) << metric;
    }
  }
}

TEST_F(RankMetrics, AllLeavesOutWhatNeedsSourceProbabilities) {
  const json all = rank_json({"--metric", "all", "--ci", "0"});
  Words left;
  for (const json& one : all.at("left_out")) left.push_back(one.at("metric"));
  EXPECT_THAT(left,
              testing::UnorderedElementsAre("leep", "nce", "pactran_dirichlet", "pactran_gamma"));
  EXPECT_EQ(all.at("models")[0].at("scores").size(), 21U);
  EXPECT_TRUE(all.at("metrics").at("linear").at("setting").is_string());
  for (const json& model : all.at("models")) {
    for (const auto& [name, score] : model.at("scores").items())
      EXPECT_TRUE(score.at("value").is_number()) << name;
  }
}

TEST_F(RankMetrics, FailsWhenNoMetricApplies) {
  const CommandResult result = rank({"--metric", "leep"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("source probabilities"));
}

TEST_F(RankMetrics, SubsampleGivesMeansOverDraws) {
  write_text(file("truth.csv"), "name,accuracy\nfair,60\ngood,70\npoor,30\n");
  const Words options = {"--metric",   "logme,linear", "--subsample",
                         "10/class:4", "--truth",      file("truth.csv").string()};
  const json all = rank_json(options);
  EXPECT_EQ(all.at("subsample").at("draws"), 4);
  EXPECT_EQ(all.at("subsample").at("rows"), 30);
  for (const json& model : all.at("models")) {
    EXPECT_EQ(model.at("n"), 30);
    const json& score = model.at("scores").at("logme");
    const auto draws = score.at("draw_values").get<std::vector<double>>();
    ASSERT_EQ(draws.size(), 4U);
    EXPECT_NEAR(score.at("value").get<double>(), (draws[0] + draws[1] + draws[2] + draws[3]) / 4.0,
                1e-12);
    EXPECT_TRUE(score.at("low").is_null());
    EXPECT_GT(score.at("sd").get<double>(), 0.0);
  }
  // The mean of Kendall's tau over draws, as in the PACTran paper's Table 1.
  double sum = 0.0;
  for (const auto& [name, draw] : all.at("evaluation").at("datasets").items())
    sum += draw.at("metrics").at("logme").at("kendall").get<double>() / 4.0;
  EXPECT_NEAR(all.at("evaluation").at("metrics").at("logme").at("kendall").get<double>(), sum,
              1e-12);
  EXPECT_EQ(lasting(all), lasting(rank_json(options)));
}

// Ranks from 1 for the largest; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) {
    double rank = 0.5;
    for (const double other : values) rank += other > value ? 1.0 : other == value ? 0.5 : 0.0;
    out.push_back(rank);
  }
  return out;
}

TEST_F(RankMetrics, SubsampleJudgesTheConsensusOfEveryDraw) {
  write_text(file("truth.csv"), "name,accuracy\nfair,60\ngood,70\npoor,30\n");
  const json all = rank_json({"--subsample", "10/class:4", "--truth", file("truth.csv").string()});
  double sum = 0.0;
  for (std::size_t draw = 0; draw < 4; ++draw) {
    std::vector<double> mean(3, 0.0);
    std::vector<double> truth;
    for (const char* metric : {"logme", "ridge_loo", "knn", "ncc_loo"}) {
      std::vector<double> values;
      for (const json& model : all.at("models"))
        values.push_back(model.at("scores").at(metric).at("draw_values")[draw]);
      const std::vector<double> ranks = ranks_of(values);
      for (std::size_t i = 0; i < 3; ++i) mean[i] += ranks[i];
    }
    for (const json& model : all.at("models"))
      truth.push_back(model.at("name") == "good" ? 70 : model.at("name") == "fair" ? 60 : 30);
    double tau = 0.0;  // over three pairs
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double agreed = (mean[j] - mean[i]) * (truth[i] - truth[j]);
        tau += agreed > 0.0 ? 1.0 / 3.0 : agreed < 0.0 ? -1.0 / 3.0 : 0.0;
      }
    }
    const json& judged = all.at("evaluation").at("datasets").at(fmt::format("draw {}", draw + 1));
    EXPECT_NEAR(judged.at("metrics").at("consensus").at("kendall").get<double>(), tau, 1e-12);
    sum += tau / 4.0;
  }
  EXPECT_NEAR(all.at("evaluation").at("metrics").at("consensus").at("kendall").get<double>(), sum,
              1e-12);
}

TEST_F(RankMetrics, HubSettingsAreTheSameForAllDraws) {
  const json all =
      rank_json({"--metric", "linear,pactran_gauss_grid", "--subsample", "10/class:3"});
  for (const char* metric : {"linear", "pactran_gauss_grid"})
    EXPECT_TRUE(all.at("metrics").at(metric).at("setting").is_string()) << metric;
}

// 24 samples of eight classes: three of each.
TEST_F(RankMetrics, FewLabelsPerClassAreComparedByWhatIsHeldOut) {
  std::filesystem::create_directory(file("few"));
  const Matrix centres = test::gaussian(8, 6, 1);
  std::string labels;
  Matrix features(24, 6);
  for (Index i = 0; i < 24; ++i) {
    features.row(i) = centres.row(i % 8);
    labels += fmt::format("class{}\n", i % 8);
  }
  write_text(file("few.txt"), labels);
  for (const auto& [name, noise] : {std::pair{"clear", 0.3}, std::pair{"vague", 3.0}})
    write_npy(file("few") / fmt::format("{}.npy", name),
              Matrix(features + noise * test::gaussian(24, 6, 2)));
  const json all = rank_json(file("few"), file("few.txt"), {});
  EXPECT_EQ(all.at("few_labels").at("per_class"), 3.0);
  EXPECT_EQ(all.at("few_labels").at("consensus_by"), "held_out");
  EXPECT_THAT(all.at("verdict").get<std::string>(), HasSubstr("The answer is weak"));
  EXPECT_THAT(all.at("notes").dump(), HasSubstr("held-out log likelihoods"));
  EXPECT_EQ(all.at("models")[0].at("name"), "clear");
  EXPECT_TRUE(all.at("models")[0].at("rank_low").is_number());
  for (const char* metric : {"logme", "ridge_loo", "knn", "ncc_loo"}) {
    EXPECT_GT(all.at("models")[0].at("scores").at(metric).at("held_out_log_likelihood"),
              all.at("models")[1].at("scores").at(metric).at("held_out_log_likelihood"))
        << metric;
  }
  EXPECT_FALSE(rank_json({}).contains("few_labels"));  // forty of each
}

TEST_F(RankMetrics, SoftLabelsAreAskedForByName) {
  Matrix certain = Matrix::Zero(kSamples, test::kClasses);
  for (Index i = 0; i < kSamples; ++i) certain(i, i % test::kClasses) = 1.0;
  write_npy(file("soft.npy"), certain);
  const json soft = rank_json(hub_, file("soft.npy"), {"--soft-labels", "--metric", "logme"});
  EXPECT_EQ(soft.at("targets").at("kind"), "soft_classes");
  EXPECT_EQ(soft.at("targets").at("centered"), false);
  const json classes = rank_json({"--metric", "logme"});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(test::value_of(soft.at("models")[i]), test::value_of(classes.at("models")[i]),
                1e-9);
  }
  const json numbers = rank_json(hub_, file("soft.npy"), {"--metric", "logme,hscore,laplace"});
  EXPECT_EQ(numbers.at("targets").at("kind"), "regression");
  EXPECT_THAT(numbers.at("left_out")[0].at("reason").get<std::string>(), HasSubstr("ridge_loo"));
  EXPECT_THAT(numbers.at("left_out")[1].at("reason").get<std::string>(), HasSubstr("logme"));
  certain(4, 0) = 0.5;
  write_npy(file("soft.npy"), certain);
  const CommandResult result = rank(hub_, file("soft.npy"), {"--soft-labels"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("row 4 is no soft label"));
}

TEST_F(RankMetrics, SaysWhenDrawsAreNotWhatWasAskedFor) {
  const auto note = [&](const char* draws) {
    const json all = rank_json({"--metric", "logme", "--subsample", draws});
    std::string text;
    for (const json& one : all.at("notes")) text += one.get<std::string>();
    return text;
  };
  EXPECT_THAT(note("1000/class:2"), HasSubstr("all"));
  EXPECT_THAT(note("100000:2"), HasSubstr("all"));
  EXPECT_THAT(note("2/class:2"), HasSubstr("21 rows instead of 6"));
  EXPECT_THAT(note("5:2"), HasSubstr("20 rows instead of 5"));
  EXPECT_EQ(note("10/class:2"), "");
}

// Risk and flatness of a draw add up to its value; so do their means.
TEST_F(RankMetrics, KeepsThePartsOfAScoreOverDraws) {
  const json all = rank_json({"--metric", "pactran_gauss", "--subsample", "10/class:3"});
  for (const json& model : all.at("models")) {
    const json& score = model.at("scores").at("pactran_gauss");
    EXPECT_NEAR(score.at("rer").get<double>() + score.at("fr").get<double>(),
                score.at("value").get<double>(), 1e-12);
  }
}

TEST_F(RankMetrics, NamesWhoHasNoTruthAndWhoHasNoScore) {
  write_text(file("truth.csv"), "name,accuracy\nfair,60\ngood,70\nstranger,30\n");
  const CommandResult result = rank({"--metric", "logme", "--truth", file("truth.csv").string()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("no truth for poor"));
  EXPECT_THAT(result.err, HasSubstr("no scores for stranger"));
}

// The same file twice: every metric ties, and none prefers another model.
TEST_F(RankMetrics, TakesATieForNoDisagreement) {
  std::filesystem::create_directory(file("twins"));
  for (const char* name : {"a.npy", "b.npy"})
    std::filesystem::copy(hub_ / "good.npy", file("twins") / name);
  const CommandResult result = test::run_assay(
      {"rank", file("twins").string(), "--labels", file("labels.txt").string(), "--ci", "0"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, testing::Not(HasSubstr("disagree")));
}

TEST_F(RankMetrics, RefusesAConsensusOfOne) {
  const CommandResult result = rank({"--metric", "logme,hscore", "--by", "consensus"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("needs two or more"));
}

TEST_F(RankMetrics, CentredNumbersKeepTheirDigitsWhateverTheirMean) {
  const Matrix features = test::gaussian(kSamples, 5, 3);
  const Matrix noise = test::gaussian(kSamples, 1, 4);
  write_npy(file("x.npy"), features);
  const auto value = [&](double mean) {
    write_npy(file("y.npy"), Matrix((features.rowwise().sum() + noise.col(0)).array() + mean));
    const CommandResult result =
        test::run_assay({"rank", file("x.npy").string(), "--labels", file("y.npy").string(),
                         "--metric", "logme", "--center", "--ci", "0", "--json", "-"});
    return test::value_of(test::json_of(result).at("models")[0]);
  };
  const double plain = value(0.0);
  EXPECT_NEAR(value(1e6), plain, 1e-8);
  EXPECT_NEAR(value(1e8), plain, 1e-6);
}

TEST_F(RankMetrics, RefusesASubsampleItDoesNotUnderstand) {
  for (const char* text : {"5/class:0", "x:3", "5/klass:2", "0:3", "5/class:"}) {
    const CommandResult result = rank({"--subsample", text});
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_THAT(result.err, HasSubstr("5/class:10")) << text;
  }
}

TEST_F(RankMetrics, ReadsSourceProbabilitiesBesideTheFeatures) {
  std::filesystem::create_directory(file("source"));
  for (const char* name : {"good", "fair"}) {
    const Path folder = file("source") / name;
    std::filesystem::create_directory(folder);
    std::filesystem::copy(hub_ / fmt::format("{}.npy", name), folder / "features.npy");
    Matrix probabilities = Matrix::Constant(kSamples, 4, 0.25);
    if (std::string(name) == "good") {  // sure of one source class per label
      for (Index i = 0; i < kSamples; ++i) probabilities.row(i) = Matrix::Identity(4, 4).row(i % 3);
    }
    write_npy(folder / "probs.npy", probabilities);
  }
  const json models =
      json_of(rank(file("source"), labels_,
                   {"--metric", "leep,nce,pactran_dirichlet,pactran_gamma", "--json", "-"}))
          .at("models");
  EXPECT_EQ(models[0].at("name"), "good");
  EXPECT_NEAR(models[0].at("scores").at("leep").at("value").get<double>(), 0.0, 1e-12);
  EXPECT_NEAR(models[1].at("scores").at("leep").at("value").get<double>(), -std::log(3.0), 1e-12);
  EXPECT_LT(models[1].at("scores").at("leep").at("low"),
            models[1].at("scores").at("leep").at("high"));
  Matrix wrong = Matrix::Constant(kSamples, 4, 0.3);
  write_npy(file("source") / "good" / "probs.npy", wrong);
  const CommandResult result = rank(file("source"), labels_, {"--metric", "leep"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("row 0 sums to 1.2"));
}

}  // namespace
}  // namespace assay
