#include "evaluate/evaluate_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

using testing::HasSubstr;

const std::vector<ScoreColumn> kScores = {
    {"logme", true, {{"a", 1.0}, {"b", 0.5}, {"only", 3.0}}},
    {"errors", false, {{"a", 0.1}, {"b", std::numeric_limits<double>::quiet_NaN()}}}};
const Truth kTruth = {"accuracy",
                      true,
                      {{"a", 0.9}, {"b", 0.7}, {"c", 0.5}},
                      {{"dim", true, {{"a", 8.0}, {"b", 4.0}}}}};

// For charts: who was compared by what, and which way every column points.
TEST(EvaluateReport, SaysWhichWayEachColumnPoints) {
  const Evaluation evaluation = evaluate(kScores, kTruth);
  nlohmann::ordered_json shown = evaluation_json(evaluation, kTruth.column);
  add_evaluated_models(shown, kScores, kTruth);
  EXPECT_EQ(shown["truth_column"], "accuracy");
  EXPECT_EQ(shown["truth_direction"], "higher");
  EXPECT_EQ(shown["metrics"]["logme"]["direction"], "higher");
  EXPECT_EQ(shown["metrics"]["errors"]["direction"], "lower");
  EXPECT_EQ(shown["metrics"]["dim"]["direction"], "higher");
  ASSERT_EQ(shown["models"].size(), 2U);  // c has a truth and no score
  EXPECT_EQ(shown["models"][0]["scores"]["errors"], 0.1);
  EXPECT_FALSE(shown["models"][1]["scores"].contains("errors"));
  EXPECT_EQ(shown["only_in_scores"][0], "only");
}

TEST(EvaluateReport, HasARowPerColumn) {
  const std::string table = evaluation_table(evaluate(kScores, kTruth), kTruth.column);
  for (const char* name : {"logme", "errors", "dim"}) EXPECT_THAT(table, HasSubstr(name));
}

}  // namespace
}  // namespace assay
