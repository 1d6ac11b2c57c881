// Tests: prior/align_labels, prior/grouped_moments, prior/kernel_vectors, prior/stream_models.
// Tests: prior/load_tasks, prior/open_models, prior/prior_report.
// Tests: prior/score_prior, prior/open_prior, prior/prior_image.
// Tests: prior/probe_hub_tasks, prior/probe_report, prior/rankme.
// Tests: prior/row_spectrum, prior/sample_prior, prior/sample_report.
// Tests: prior/score_report, prior/task_r2.
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

TEST_F(PriorCommand, TheShareOfVarianceAProbeExplainsOrdersTheTable) {
  const json all = json_of(prior({"score", hub_.string(), "--prior", model("good"), "--temperature",
                                  "1", "--probe-r2", "40", "--json", "-"}));
  double before = 1.0;
  for (const json& row : all.at("models")) {
    const json& share = row.at("probe_r2");
    EXPECT_LE(share.at("value").get<double>(), before);
    before = share.at("value").get<double>();
    EXPECT_GT(share.at("sd").get<double>(), 0.0);
    EXPECT_EQ(row.at("own_prior"), row.at("name") == "good");
  }
  const json off = json_of(prior({"score", hub_.string(), "--prior", model("good"), "--temperature",
                                  "1", "--probe-r2", "off", "--json", "-"}));
  EXPECT_TRUE(off.at("models")[0].at("probe_r2").is_null());
  EXPECT_EQ(off.at("models")[0].at("expectation"), all.at("models")[0].at("expectation"));
  const json none = json_of(prior({"score", model("fair"), "--prior", model("good"), "--probe-r2",
                                   "0", "--penalty", "loo", "--json", "-"}));
  EXPECT_TRUE(none.at("models")[0].at("probe_r2").at("sd").is_null());
  EXPECT_GE(none.at("models")[0].at("probe_r2").at("value").get<double>(),
            all.at("models")[1].at("probe_r2").at("value").get<double>() - 1.0);
}

TEST_F(PriorCommand, LabelFreeNeighboursStandBeside) {
  const json all = json_of(prior({"score", hub_.string(), "--prior", "views:2", "--probe-r2", "0",
                                  "--temperature", "1", "--json", "-"}));
  for (const json& row : all.at("models")) {
    EXPECT_GT(row.at("rankme").get<double>(), 1.0);
    EXPECT_GT(row.at("lidar").get<double>(), 1.0);  // views of the prior
  }
  const json none = json_of(prior({"score", hub_.string(), "--prior", model("good"), "--probe-r2",
                                   "0", "--no-label-free", "--json", "-"}));
  EXPECT_TRUE(none.at("models")[0].at("rankme").is_null());
  EXPECT_THAT(prior({"score", hub_.string(), "--prior", model("good"), "--views", "7"}).err,
              HasSubstr("no whole number of 7 views"));
}

TEST_F(PriorCommand, EveryModelIsThePriorOnce) {
  const json all = json_of(prior({"score", hub_.string(), "--prior", "each", "--temperature", "1",
                                  "--probe-r2", "0", "--json", "-"}));
  ASSERT_EQ(all.at("models").size(), 9U);
  for (const json& row : all.at("models")) {
    const json one =
        json_of(prior({"score", model(row.at("name")), "--prior", model(row.at("prior")),
                       "--temperature", "1", "--probe-r2", "0", "--json", "-"}));
    EXPECT_EQ(one.at("models")[0].at("expectation"), row.at("expectation"));
    EXPECT_EQ(one.at("models")[0].at("probe_r2"), row.at("probe_r2"));
  }
}

TEST_F(PriorCommand, KernelMatricesArePriorsAndModels) {
  const Matrix x = test::gaussian(50, 4, 1);
  const Matrix y = x + test::gaussian(50, 4, 2);
  write_npy(file("x.npy"), x);
  write_npy(file("y.npy"), y);
  write_npy(file("kx.npy"), Matrix(x * x.transpose()));
  write_npy(file("ky.npy"), Matrix(y * y.transpose()));
  const auto score = [&](const std::string& model, const std::string& prior_file) {
    return json_of(prior({"score", model, "--prior", prior_file, "--kernel", "linear", "--center",
                          "yes", "--temperature", "2", "--probe-r2", "20", "--json", "-"}))
        .at("models")[0];
  };
  const json expected = score(file("y.npy").string(), file("x.npy").string());
  const json got = score("kernel:" + file("ky.npy").string(), "kernel:" + file("kx.npy").string());
  EXPECT_NEAR(got.at("expectation").get<double>(), expected.at("expectation").get<double>(), 1e-9);
  EXPECT_NEAR(got.at("probe_r2").at("value").get<double>(),
              expected.at("probe_r2").at("value").get<double>(), 1e-10);
}

TEST_F(PriorCommand, ModelsHaveAKernelOfTheirOwn) {
  const Words words = {"score", model("fair"), "--prior", model("good"), "--temperature",
                       "1",     "--probe-r2",  "off",     "--json",      "-"};
  const json cosine = json_of(prior(words));
  const json ridge = json_of(prior(words, {"--model-kernel", "ridge"}));
  const json weak = json_of(prior(words, {"--model-kernel", "ridge", "--penalty", "1e-9"}));
  const json loo = json_of(prior(words, {"--model-kernel", "ridge", "--penalty", "loo"}));
  EXPECT_EQ(ridge.at("model_kernel"), "ridge");
  EXPECT_EQ(ridge.at("kernel"), "cosine");
  const auto expectation = [](const json& all) {
    return all.at("models")[0].at("expectation").get<double>();
  };
  EXPECT_NE(expectation(ridge), expectation(cosine));
  EXPECT_NE(expectation(loo), expectation(weak));
  EXPECT_THAT(prior(words, {"--penalty", "-1"}).err, HasSubstr("--penalty '-1'"));
  EXPECT_THAT(prior({"score", model("fair"), "--prior", model("good"), "--probe-r2", "x"}).err,
              HasSubstr("--probe-r2 'x'"));
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

TEST_F(PriorCommand, ReadsBlockByBlockWhatDoesNotFit) {
  const Matrix x = test::gaussian(20000, 8, 1);
  write_npy(file("x.npy"), x);
  write_npy(file("y.npy"), Matrix(x + test::gaussian(20000, 8, 2)));
  const Words words = {"score",         file("y.npy").string(),
                       "--prior",       file("x.npy").string(),
                       "--temperature", "0.5",
                       "--probe-r2",    "0",
                       "--json",        "-"};
  const json whole = json_of(prior(words, {"--pairs", "4000"})).at("models")[0];
  const Words limit = {"--pairs", "4000", "--memory-limit", "2500000"};
  const json parts = json_of(prior(words, limit)).at("models")[0];
  const auto near = [&](const char* name, double tolerance) {
    const double expected = whole.at(name);
    EXPECT_NEAR(parts.at(name).get<double>(), expected, tolerance * expected) << name;
  };
  near("expectation", 1e-4);
  near("variance", 1e-4);
  near("rankme", 1e-9);
  EXPECT_NEAR(parts.at("probe_r2").at("value").get<double>(),
              whole.at("probe_r2").at("value").get<double>(), 1e-5);
  const CommandResult refused = prior(words, {"--memory-limit", "2500000"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("or set --pairs"));
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
  // Two models beside the prior's own: any two numbers go together or against each other.
  EXPECT_EQ(all.at("correlation").at("mean").at("models"), 2);
  EXPECT_TRUE(all.at("correlation").at("mean").at("pearson").is_null());
  EXPECT_TRUE(all.at("correlation").at("mean").at("low").is_null());
  for (const json& row : all.at("models")) {
    EXPECT_NEAR(row.at("task_variance").get<double>() + row.at("test_noise").get<double>(),
                row.at("variance").get<double>(), 1e-15);
    const auto worst = row.at("worst_tasks").get<std::vector<std::size_t>>();
    ASSERT_EQ(worst.size(), 1U);  // a twentieth of thirty
    for (const json& accuracy : row.at("accuracy"))
      EXPECT_GE(accuracy.get<double>(), row.at("accuracy")[worst[0]].get<double>());
  }
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

TEST_F(PriorCommand, TasksAreAsDiverseAsAsked) {
  const auto sample = [&](const Words& more) {
    return json_of(prior({"sample", model("good"), "--tasks", "100", "--json", "-"}, more));
  };
  const json usual = sample({});
  EXPECT_NEAR(usual.at("mean_ari").get<double>(), 0.2, 0.05);
  EXPECT_GT(usual.at("effective_tasks").get<double>(), 5.0);
  EXPECT_GT(usual.at("class_balance").at("smallest").get<double>(), 0.05);
  const json alike = sample({"--diversity", "0.4"});
  EXPECT_NEAR(alike.at("mean_ari").get<double>(), 0.4, 0.08);
  EXPECT_LT(alike.at("effective_tasks").get<double>(), usual.at("effective_tasks").get<double>());
  // Several priors: features and labels multiply.
  const json both = sample({"labels:" + labels_.string()});
  EXPECT_NEAR(both.at("mean_ari").get<double>(), 0.2, 0.05);
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
  refused({"probe", model("fair"), "--tasks", good}, "expected integers of shape (tasks, rows)");
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
