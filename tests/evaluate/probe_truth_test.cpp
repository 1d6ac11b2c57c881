#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/truth.h"
#include "evaluate/truth_report.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;

Model model_of(const std::string& name, const Matrix& features) {
  return {.name = name, .features = {}, .rows = rows_of_matrix(features, name)};
}

// Two models of one data set: one that knows the classes, and noise.
TruthRequest request_of(const test::Sample& sample) {
  TruthRequest request;
  request.hub.targets = sample.targets;
  request.hub.models = {model_of("good", sample.features),
                        model_of("noise", test::gaussian(sample.features.rows(), 4, 9))};
  request.runs = 3;
  request.test_share = 0.25;
  request.memory_limit = Index{1} << 30;
  return request;
}

TEST(ProbeTruth, MeasuresOnTheShareThatIsHeldOut) {
  const TruthResult result = probe_truth(test::pool(), request_of(test::blobs(4, 30, 5, 0.3)), {});
  ASSERT_EQ(result.models.size(), 2U);
  for (const MeasuredModel& model : result.models) {
    EXPECT_EQ(model.train, 90) << model.name;
    EXPECT_EQ(model.test, 30) << model.name;
    EXPECT_EQ(model.accuracies.size(), 3U);
  }
  EXPECT_GT(result.models[0].mean(), 0.95);
  EXPECT_LT(result.models[1].mean(), 0.6);
  EXPECT_TRUE(result.models[1].sd());
}

TEST(ProbeTruth, TakesTestFeaturesOfTheirOwnUnderTheTrainingCodes) {
  const test::Sample train = test::blobs(3, 20, 4, 0.3);
  TruthRequest request = request_of(train);
  request.hub.models.pop_back();
  request.runs = 1;
  Targets held = train.targets;  // the same rows, their classes under other codes
  for (Label& label : held.labels) label = static_cast<Label>((label + 1) % 3);
  held.names = {train.targets.names[2], train.targets.names[0], train.targets.names[1]};
  request.test_hub.targets = held;
  request.test_hub.models = {model_of("good", train.features)};
  const TruthResult result = probe_truth(test::pool(), request, {});
  EXPECT_GT(result.models[0].mean(), 0.95);
  EXPECT_EQ(result.models[0].test, 60);
  EXPECT_FALSE(result.models[0].sd());
  request.test_hub.models = {model_of("good", test::gaussian(60, 5, 1))};
  EXPECT_THAT(test::error_of([&] { probe_truth(test::pool(), request, {}); }),
              HasSubstr("4 dimensions in training, 5 in test features"));
}

TEST(ProbeTruth, NeedsRowsThatMatch) {
  TruthRequest request = request_of(test::blobs(3, 20, 4, 0.3));
  request.hub.models[1] = model_of("noise", test::gaussian(7, 4, 9));
  const TruthResult result = probe_truth(test::pool(), request, {});
  ASSERT_EQ(result.failed.size(), 1U);
  EXPECT_THAT(result.failed[0].error, HasSubstr("7 rows, but"));
}

TEST(TruthReport, ListsTheBestModelFirst) {
  TruthResult result;
  result.models = {{"a", 4, 90, 30, {0.25, 0.75}}, {"b,c", 8, 90, 30, {0.9}}};
  result.failed = {{"d", "broken"}};
  EXPECT_EQ(truth_csv(result),
            "name,accuracy,accuracy_sd,runs,train,test,dim\n"
            "\"b,c\",0.9,,1,90,30,8\n"
            "a,0.5,0.3535533905932738,2,90,30,4\n");
  const std::string table = truth_table(result, {});
  EXPECT_LT(table.find("b,c"), table.find("0.5000"));
  const nlohmann::ordered_json shown = truth_json(result, "probe");
  EXPECT_EQ(shown["models"][0]["name"], "b,c");
  EXPECT_TRUE(shown["models"][0]["accuracy_sd"].is_null());
  EXPECT_EQ(shown["failed"][0]["error"], "broken");
}

}  // namespace
}  // namespace assay
