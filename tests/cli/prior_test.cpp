// Tests: prior/probe_hub_tasks, prior/sample_prior.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/npy.h"
#include "run_command.h"
#include "support.h"

namespace assay {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::json_of;
using test::kSamples;
using test::run_assay;
using testing::HasSubstr;

using Words = std::vector<std::string>;

class PriorCommand : public test::HubTest {
 protected:
  std::string model(const std::string& name) const { return (hub_ / (name + ".npy")).string(); }

  CommandResult prior(Words words, const Words& more = {}) const {
    words.insert(words.begin(), "prior");
    words.insert(words.end(), more.begin(), more.end());
    return run_assay(words);
  }

  std::string sampled(const Words& options) const {
    const std::string out = file("tasks.npy").string();
    const CommandResult result = prior({"sample", model("good"), "--out", out}, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return out;
  }
};

TEST_F(PriorCommand, ScoresEveryModelAtEveryTemperature) {
  const json all = json_of(prior({"score", hub_.string(), "--prior", model("good")},
                                 {"--temperature", "0.1,1", "--json", "-"}));
  ASSERT_EQ(all.at("models").size(), 6U);
  for (const json& row : all.at("models")) {
    const double pairs = static_cast<double>(kSamples) * kSamples;
    EXPECT_EQ(row.at("prior"), "good");
    EXPECT_NEAR(row.at("expectation_per_pair").get<double>(),
                row.at("expectation").get<double>() / pairs, 1e-15);
    EXPECT_NEAR(row.at("sd_per_pair").get<double>(),
                std::sqrt(row.at("variance").get<double>()) / pairs, 1e-15);
    EXPECT_TRUE(row.contains("temperature"));
  }
  // A prior finds itself best.
  EXPECT_EQ(all.at("models")[0].at("name"), "good");
  EXPECT_EQ(all.at("models")[2].at("name"), "poor");
  EXPECT_GE(all.at("provenance").at("inputs").size(), 3U);
  const json one = json_of(prior({"score", hub_.string(), "--prior", model("good")},
                                 {"--temperature", "0.1,1", "--threads", "1", "--json", "-"}));
  EXPECT_EQ(one.at("models"), all.at("models"));
}

TEST_F(PriorCommand, LabelsAndViewsArePriorsAndSeveralMultiply) {
  const std::string labels = "labels:" + labels_.string();
  const json all =
      json_of(prior({"score", model("good"), model("poor"), "--prior", labels, "--prior", "views:2",
                     "--prior", labels, "views:2", "--temperature", "1", "--json", "-"}));
  ASSERT_EQ(all.at("models").size(), 6U);
  std::map<std::string, double> good;
  for (const json& row : all.at("models"))
    if (row.at("name") == "good") good[row.at("prior")] = row.at("expectation");
  EXPECT_EQ(good.size(), 3U);
  EXPECT_TRUE(good.contains("labels:labels * views:2"));
  const CommandResult table = prior({"score", model("good"), model("poor"), "--prior", labels,
                                     "--prior", "views:2", "--temperature", "1"});
  EXPECT_THAT(table.out, HasSubstr("Each model (row) under each prior (column)"));
}

TEST_F(PriorCommand, OneLabellingGivesItsTraceAndItsProbeError) {
  const json all = json_of(prior({"score", hub_.string(), "--prior", model("good"), "--labels",
                                  labels_.string(), "--temperature", "0.5", "--json", "-"}));
  const json& models = all.at("models");
  EXPECT_LT(models[0].at("label_probe_mse").get<double>(),
            models[2].at("label_probe_mse").get<double>());
  EXPECT_GT(models[0].at("label_trace").get<double>(), models[2].at("label_trace").get<double>());
}

TEST_F(PriorCommand, SampledPairsComeNearTheExactSums) {
  const Words words = {"score",         model("fair"), "--prior", model("good"),
                       "--temperature", "0.5",         "--json",  "-"};
  const json exact = json_of(prior(words)).at("models")[0];
  const json near = json_of(prior(words, {"--pairs", "5000"})).at("models")[0];
  const double error = near.at("expectation_standard_error").get<double>();
  EXPECT_GT(error, 0.0);
  EXPECT_LT(std::abs(near.at("expectation").get<double>() - exact.at("expectation").get<double>()),
            5.0 * error);
}

TEST_F(PriorCommand, SamplesTasksThatProbesRead) {
  const std::string tasks =
      sampled({"--classes", "3", "--tasks", "30", "--temperature", "1", "--sampler", "gibbs:2"});
  const Array array = open_npy(tasks);
  EXPECT_EQ(array.type, ElementType::i32);
  EXPECT_EQ(array.shape, (std::vector<Index>{30, kSamples}));
  for (Index i = 0; i < array.size(); ++i) {
    EXPECT_GE(integer_at(array, i), 0);
    EXPECT_LT(integer_at(array, i), 3);
  }
  const json all = json_of(prior({"probe", hub_.string(), "--tasks", tasks, "--prior",
                                  model("good"), "--temperature", "1", "--json", "-"}));
  ASSERT_EQ(all.at("models").size(), 3U);
  std::map<std::string, double> mean;
  for (const json& row : all.at("models")) {
    EXPECT_EQ(row.at("accuracy").size(), 30U);
    EXPECT_LE(row.at("worst_5_percent").get<double>(), row.at("mean").get<double>());
    EXPECT_TRUE(row.contains("expectation"));
    mean[row.at("name")] = row.at("mean");
  }
  EXPECT_GT(mean.at("good"), mean.at("poor"));
  EXPECT_GT(all.at("correlation").at("mean").at("pearson").get<double>(), 0.5);
  EXPECT_TRUE(all.at("correlation").at("mean").at("low").is_null());  // three models: no interval
}

TEST_F(PriorCommand, SamplesFromAKernelFileAsFromItsFeatures) {
  const Matrix x = test::gaussian(50, 4, 1);
  write_npy(file("x.npy"), x);
  write_npy(file("k.npy"), Matrix(x * x.transpose()));
  const auto labels = [&](const Words& words) {
    const std::string out = file("out.npy").string();
    EXPECT_EQ(prior(words, {"--out", out, "--temperature", "5", "--classes", "3", "--tasks", "20"})
                  .exit_code,
              0);
    const Array array = open_npy(out);
    std::vector<std::int64_t> all;
    for (Index i = 0; i < array.size(); ++i) all.push_back(integer_at(array, i));
    return all;
  };
  EXPECT_EQ(labels({"sample", file("k.npy").string(), "--from-kernel"}),
            labels({"sample", file("x.npy").string(), "--kernel", "linear"}));
}

TEST_F(PriorCommand, SaysWhenAllTasksAreTheSame) {
  const Words words = {"sample", model("good"), "--tasks", "10", "--sampler", "gibbs:5"};
  const CommandResult cold = prior(words, {"--temperature", "0.01"});
  EXPECT_THAT(cold.out, HasSubstr("How alike two tasks are"));
  EXPECT_THAT(cold.err, HasSubstr("raise --temperature"));
  EXPECT_EQ(prior(words, {"--temperature", "1e6"}).err.find("raise --temperature"),
            std::string::npos);
}

TEST_F(PriorCommand, PicturesAreDrawnInThePlaneOfPrincipalComponents) {
  const json all = json_of(prior({"sample", model("good"), "--classes", "2", "--tasks", "6",
                                  "--picture", "3", "--json", "-"}));
  const json& picture = all.at("picture");
  EXPECT_EQ(picture.at("x").size(), static_cast<std::size_t>(kSamples));
  EXPECT_EQ(picture.at("labels").size(), 3U);
  EXPECT_EQ(picture.at("labels")[0].size(), picture.at("y").size());
  EXPECT_GT(all.at("temperature").get<double>(), 0.0);  // auto
}

TEST_F(PriorCommand, ModelsThatDoNotFitAreLeftOut) {
  write_npy(hub_ / "short.npy", Matrix(test::gaussian(7, 3, 1)));
  Matrix broken = test::gaussian(kSamples, 3, 2);
  broken.row(5).setZero();
  write_npy(hub_ / "zero.npy", broken);
  const CommandResult result = prior({"score", hub_.string(), "--prior", model("good"),
                                      "--temperature", "1", "--json", file("out.json").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("7 rows"));
  EXPECT_THAT(result.err, HasSubstr("row 5 is all zero"));
  const json all = json::parse(test::read_text(file("out.json")));
  EXPECT_EQ(all.at("failed").size(), 2U);
  EXPECT_EQ(all.at("models").size(), 3U);
}

TEST_F(PriorCommand, BadInputIsRefusedWithAReason) {
  const auto refused = [&](const Words& words, const std::string& reason) {
    const CommandResult result = prior(words);
    EXPECT_EQ(result.exit_code, 2) << reason;
    EXPECT_THAT(result.err, HasSubstr(reason));
  };
  const std::string good = model("good");
  refused({"score", good}, "--prior is required");
  refused({"score", "--prior", good, good}, "name models before --prior");
  refused({"score", good, "--prior", "views:7"}, "no whole number");
  refused({"score", good, "--prior", "views:x"}, "views:2");
  refused({"score", good, "--prior", "labels:nowhere.npy"}, "nowhere.npy");
  refused({"score", good, "--prior", good, "--temperature", "0"}, "positive numbers");
  refused({"score", good, "--prior", good, "--temperature", "nan"}, "positive numbers");
  refused({"score", good, "--prior", good, "--kernel", "rbf", "--pairs", "1000"}, "a factor");
  refused({"sample", good, "--sampler", "gibbs"}, "gibbs:K");
  refused({"sample", good, "--from-kernel"}, "square");
  refused({"probe", good, "--tasks", good}, "expected integers of shape (tasks, rows)");
  const std::vector<Index> negative = {0, -1, 1};
  write_npy(file("bad.npy"), ElementType::i64, std::vector<Index>{1, 3},
            std::as_bytes(std::span(negative)));
  refused({"probe", good, "--tasks", file("bad.npy").string()}, "row 1 is -1");
  refused({"probe", good, "--tasks", sampled({"--tasks", "2"}), "--prior", good, "--prior", good},
          "one prior");
}

TEST_F(PriorCommand, TasksForOtherRowsAreRefused) {
  const std::string tasks = sampled({"--tasks", "2"});
  write_npy(file("other.npy"), Matrix(test::gaussian(9, 3, 1)));
  const CommandResult result = prior({"probe", file("other.npy").string(), "--tasks", tasks});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("9 rows, but the tasks"));
}

}  // namespace
}  // namespace assay
