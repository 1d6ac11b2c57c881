#include "robust/robust_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "robust/synbench_report.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

SynbenchRequest asking(std::vector<double> epsilons) {
  SynbenchRequest request;
  request.epsilons = std::move(epsilons);
  request.thresholds = {0.7};
  return request;
}

// A score at every epsilon, with these standard errors; 0: not calibrated.
SynbenchModel model(const std::string& name, const std::vector<double>& epsilons,
                    const std::vector<double>& values, double error) {
  SynbenchModel out;
  out.name = name;
  for (std::size_t e = 0; e < epsilons.size(); ++e) {
    SynbenchScore score;
    score.epsilon = epsilons[e];
    score.threshold = 0.7;
    score.value = values[e];
    score.value_se = 0.01;
    if (error > 0.0) {
      score.calibrated = values[e];
      score.calibrated_se = error;
    }
    out.scores.push_back(score);
  }
  out.points.resize(epsilons.size());
  out.best_epsilons = {std::nullopt};
  return out;
}

const std::vector<double> kGrid = {0.0, 0.2, 0.4};

TEST(RobustVerdict, ComparesAtOneEpsilonThatWasAskedFor) {
  EXPECT_EQ(judged_at(asking({0.0, 0.4, 0.2})).epsilon, 0.2);
  EXPECT_EQ(judged_at(asking({0.3})).epsilon, 0.3);
  EXPECT_EQ(judged_at(asking({0.0})).epsilon, 0.0);
}

// A difference of 0.106 against an error of 0.060: 1.8 standard errors. Of mid, 0.835 is what it
// has at 0.4.
TEST(RobustVerdict, OfOverlappingScoresCallsNoneTheBest) {
  SynbenchResult result;
  result.models = {model("big", kGrid, {0.97, 0.956, 0.7}, 0.079 / 1.96),
                   model("mid", kGrid, {0.9, 0.85, 0.835}, 0.086 / 1.96)};
  const std::string verdict = robust_verdict(result, asking(kGrid));
  EXPECT_THAT(verdict, StartsWith("big has the highest score but is not separable from mid "
                                  "(0.850 ± 0.086). Its score is 0.956 ± 0.079 at ε = 0.2"));
  EXPECT_THAT(verdict, Not(HasSubstr("keeps most")));
  EXPECT_THAT(verdict, HasSubstr("Elsewhere another model has the highest score: mid at ε = 0.4."));
}

TEST(RobustVerdict, OfAClearWinnerNamesTheRunnerUpAtTheSameEpsilon) {
  SynbenchResult result;
  result.models = {model("mid", kGrid, {0.5, 0.4, 0.3}, 0.02),
                   model("big", kGrid, {0.97, 0.956, 0.7}, 0.02)};
  const JudgedModels judged = judge_models(result, judged_at(asking(kGrid)));
  EXPECT_THAT(judged.not_separable, IsEmpty());
  const std::string verdict = robust_verdict(result, asking(kGrid));
  EXPECT_THAT(verdict, StartsWith("big keeps most of what the raw data allow: a score of 0.956"));
  EXPECT_THAT(verdict, HasSubstr("mid follows with 0.400"));
  EXPECT_THAT(verdict, Not(HasSubstr("Elsewhere")));
}

// A difference of 0.1 against an error of 0.0495: 2.02 standard errors, enough against one other
// model and not against two (2.24).
TEST(RobustVerdict, TestsAllOthersTogether) {
  const double error = 0.035;
  SynbenchResult result;
  result.models = {model("a", {0.2}, {0.9}, error), model("b", {0.2}, {0.8}, error)};
  EXPECT_THAT(judge_models(result, {0.2, 0.7}).not_separable, IsEmpty());
  result.models.push_back(model("c", {0.2}, {0.1}, error));
  EXPECT_THAT(judge_models(result, {0.2, 0.7}).not_separable, ElementsAre("b"));
}

TEST(RobustVerdict, DoesNotMixCalibratedAndMeasuredScores) {
  SynbenchResult result;
  result.models = {model("a", {0.2}, {0.9}, 0.02), model("b", {0.2}, {0.8}, 0.0)};
  EXPECT_FALSE(judge_models(result, {0.2, 0.7}).calibrated);
  EXPECT_THAT(robust_verdict(result, asking({0.2})), HasSubstr("not every model has a calibrated"));
}

TEST(RobustVerdict, OfOneModelComparesNothing) {
  SynbenchResult result;
  result.models = {model("a", {0.2}, {0.9}, 0.02)};
  EXPECT_THAT(robust_verdict(result, asking({0.2})), HasSubstr("There is no other to compare"));
}

TEST(RobustVerdict, OfNoScoreSaysSo) {
  SynbenchResult result;
  result.models = {model("a", {0.2}, {0.9}, 0.02)};
  result.models[0].scores[0].value.reset();
  result.models[0].scores[0].calibrated.reset();
  EXPECT_THAT(robust_verdict(result, asking({0.2})), StartsWith("No score could be found"));
}

TEST(RobustJson, HoldsTheVerdictAndWhereItComparesModels) {
  SynbenchResult result;
  result.models = {model("a", kGrid, {0.9, 0.9, 0.9}, 0.02)};
  const auto written = robust_json(result, asking(kGrid));
  EXPECT_EQ(written.at("judged_at").at("epsilon"), 0.2);
  EXPECT_EQ(written.at("verdict"), robust_verdict(result, asking(kGrid)));
}

}  // namespace
}  // namespace assay
