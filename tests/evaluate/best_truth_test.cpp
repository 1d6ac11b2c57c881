#include <gtest/gtest.h>

#include "assay/truth.h"
#include "evaluate/truth_report.h"
#include "support.h"

namespace assay {
namespace {

MeasuredModel measured(const std::string& name, std::vector<double> accuracies) {
  return {name, 4, 80, 20, std::move(accuracies)};
}

TEST(BestTruth, TakesTheBetterOfTheTwoForEachModel) {
  TruthResult probed;
  probed.models = {measured("a", {0.8, 0.9}), measured("b", {0.5}), measured("c", {0.3})};
  probed.failed = {{"d", "no features"}};
  TruthResult finetuned;
  finetuned.models = {measured("b", {0.6}), measured("a", {0.84}), measured("d", {0.7})};
  finetuned.failed = {{"c", "does not train"}};
  const TruthResult best = best_truth(probed, finetuned);
  ASSERT_EQ(best.models.size(), 4U);
  EXPECT_EQ(best.models[0].protocol, "probe");  // 0.85 against 0.84
  EXPECT_EQ(best.models[1].protocol, "finetune");
  EXPECT_EQ(best.models[2].protocol, "probe");
  EXPECT_EQ(best.models[3].protocol, "finetune");
  ASSERT_EQ(best.failed.size(), 2U);
  EXPECT_EQ(best.failed[0].error, "no features (the other protocol measured it)");
  EXPECT_EQ(truth_csv(best).substr(0, 55),
            "name,accuracy,accuracy_sd,runs,train,test,dim,protocol\n");
}

TEST(BestTruth, NeedsOneUnit) {
  TruthResult numbers;
  numbers.unit = "R2";
  EXPECT_NE(test::error_of([&] { best_truth(numbers, {}); }), "");
}

}  // namespace
}  // namespace assay
