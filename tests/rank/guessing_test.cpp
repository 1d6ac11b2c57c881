#include "rank/guessing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_report.h"
#include "rank/ranking.h"
#include "support.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// `right` of 100 samples, the rest wrong.
MetricScore accuracy_score(const char* metric, Index right) {
  MetricScore score{.metric = &find_metric(metric)};
  const bool error = score.metric->direction == Direction::lower_is_better;
  for (Index i = 0; i < 100; ++i)
    score.score.per_sample.push_back((i < right) != error ? 1.0 : 0.0);
  double sum = 0.0;
  for (const double one : score.score.per_sample) sum += one;
  score.score.value = sum / 100.0;
  for (const double one : score.score.per_sample)
    score.contributions.push_back((one - score.score.value) / 100.0);
  return score;
}

ScoredModel scored(const std::string& name, std::vector<MetricScore> scores) {
  return {.name = name, .samples = 100, .dim = 8, .scores = std::move(scores), .digests = {}};
}

RankResult of_models(std::vector<ScoredModel> models, double level = 0.95) {
  RankResult result;
  for (const MetricScore& score : models.front().scores) result.metrics.push_back(score.metric);
  result.by = result.metrics.front();
  result.columns = 2;
  result.largest_class = 0.5;
  std::vector<Candidate> candidates;
  for (const ScoredModel& model : models) {
    const MetricScore& score = model.scores.front();
    const double sign = score.metric->direction == Direction::lower_is_better ? -1.0 : 1.0;
    candidates.push_back({model.name, sign * score.score.value, score.contributions, {}, {}});
  }
  result.ranking = rank_candidates(candidates, level);
  result.models = std::move(models);
  return result;
}

TEST(Guessing, OfAnAccuracyIsTheCommonestClassAndOfAnErrorItsComplement) {
  const RankResult result = of_models({scored("a", {accuracy_score("knn", 50)})});
  EXPECT_EQ(score_of_guessing(result, accuracy_score("knn", 50)), 0.5);
  RankResult rare = result;
  rare.largest_class = 0.7;
  EXPECT_NEAR(score_of_guessing(rare, accuracy_score("linear_valid", 50)).value(), 0.3, 1e-12);
}

TEST(Guessing, OfLogmeIsTheEvidenceWithoutFeaturesWhereAnInterceptIsFitted) {
  MetricScore score{.metric = &find_metric("logme")};
  score.score.value = -0.5;
  score.score.details = {{"gain", 0.1}};
  RankResult result;
  result.centered = true;
  EXPECT_NEAR(score_of_guessing(result, score).value(), -0.6, 1e-12);
  result.centered = false;
  result.logme_of_constant = -0.55;
  EXPECT_EQ(score_of_guessing(result, score), -0.55);
}

TEST(Guessing, IsUnknownToMetricsThatSeeSignalInNoise) {
  for (const char* metric : {"hscore", "transrate", "pactran_gauss", "leep"}) {
    MetricScore score{.metric = &find_metric(metric)};
    score.score.value = 1.0;
    EXPECT_FALSE(score_of_guessing(RankResult{}, score)) << metric;
  }
}

// 60 of 100 is 2.0 standard errors above one half: one-sided 5 % for one test alone, not for four.
TEST(Guessing, IsJudgedOverAllModelsAndMetricsTogether) {
  const Guessing alone = judge_guessing(of_models({scored("a", {accuracy_score("knn", 60)})}));
  EXPECT_EQ(alone.beaten(), true);
  std::vector<ScoredModel> many;
  for (const char* name : {"a", "b", "c", "d"})
    many.push_back(scored(name, {accuracy_score("knn", name[0] == 'a' ? 60 : 50)}));
  const RankResult result = of_models(many);  // `closest` points into it
  const Guessing together = judge_guessing(result);
  EXPECT_EQ(together.beaten(), false);
  EXPECT_EQ(together.closest.model->name, "a");
}

TEST(Guessing, IsBeatenByAnErrorThatIsLow) {
  const auto beaten = [](Index right) {
    return judge_guessing(of_models({scored("a", {accuracy_score("linear_valid", right)})}))
        .beaten();
  };
  EXPECT_EQ(beaten(90), true);
  EXPECT_EQ(beaten(10), false);
}

// Between no features and a constant one LogME cannot tell knowledge from a mean that is not zero.
TEST(Guessing, IsOpenWhereLogmeAloneLiesBetweenItsTwoBaselines) {
  MetricScore score{.metric = &find_metric("logme")};
  score.score.value = -0.7;
  score.score.details = {{"gain", 0.2}};
  score.contributions = std::vector<double>(50, 0.001);
  score.contributions.resize(100, -0.001);
  RankResult result = of_models({scored("a", {score})});
  result.logme_of_constant = -0.6;
  EXPECT_EQ(judge_guessing(result).beaten(), std::nullopt);
  EXPECT_TRUE(rank_json(result).at("models")[0].at("beats_guessing").is_null());
  result.logme_of_constant = -0.8;
  EXPECT_EQ(judge_guessing(result).beaten(), true);
  result.logme_of_constant = -0.6;
  result.models[0].scores[0].score.details = {{"gain", 0.0}};
  EXPECT_EQ(judge_guessing(result).beaten(), false);
}

TEST(Guessing, IsNotJudgedWithoutIntervals) {
  const RankResult result = of_models({scored("a", {accuracy_score("knn", 50)})}, 0.0);
  EXPECT_EQ(judge_guessing(result).beaten(), std::nullopt);
  EXPECT_THAT(rank_verdict(result), Not(HasSubstr("guessing")));
  EXPECT_TRUE(rank_json(result).at("guessing").at("beaten").is_null());
}

TEST(RankVerdict, OfNoiseRecommendsNothing) {
  const RankResult result = of_models(
      {scored("a", {accuracy_score("knn", 52)}), scored("b", {accuracy_score("knn", 48)})});
  const std::string verdict = rank_verdict(result);
  EXPECT_THAT(verdict, StartsWith("No model beats guessing"));
  EXPECT_THAT(verdict, HasSubstr("knn of a: 0.5200"));
  EXPECT_THAT(verdict, HasSubstr("always naming the commonest class scores 0.5000"));
  EXPECT_THAT(verdict, Not(HasSubstr("choose among")));
  const auto json = rank_json(result);
  EXPECT_EQ(json.at("guessing").at("beaten"), false);
  EXPECT_EQ(json.at("models")[0].at("scores").at("knn").at("chance"), 0.5);
  EXPECT_EQ(json.at("models")[0].at("beats_guessing"), false);
}

TEST(RankVerdict, DoubtsAWinnerThatBeatsNothing) {
  MetricScore high = accuracy_score("knn", 52);
  high.metric = &find_metric("hscore");  // says nothing of guessing, but orders
  MetricScore low = high;
  low.score.value -= 0.1;
  const RankResult result = of_models({scored("a", {high, accuracy_score("knn", 51)}),
                                       scored("b", {low, accuracy_score("knn", 95)})});
  EXPECT_THAT(rank_verdict(result), HasSubstr("By itself a is not shown to beat guessing; other"));
  const auto json = rank_json(result);
  EXPECT_EQ(json.at("models")[0].at("beats_guessing"), false);
  EXPECT_EQ(json.at("models")[1].at("beats_guessing"), true);
}

}  // namespace
}  // namespace assay
