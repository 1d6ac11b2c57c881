#include "rank/held_out_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "metrics/leave_out_evidence.h"
#include "metrics/make_problem.h"
#include "rank/order_models.h"
#include "rank/rank_report.h"
#include "rank/score_model.h"
#include "support.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Metric* metric(const char* name) { return &find_metric(name); }

// Two models by these metrics: a has the better scores, b the better held-out likelihoods.
RankResult two_models(const std::vector<const Metric*>& metrics) {
  RankResult out;
  out.metrics = metrics;
  out.labels_per_class = 2.0;
  for (const double lead : {1.0, -1.0}) {
    ScoredModel model{lead > 0.0 ? "a" : "b", 20, 8, {}, {}};
    for (const Metric* one : metrics) {
      MetricScore score{.metric = one};
      score.score.value = one->direction == Direction::higher_is_better ? lead : -lead;
      score.held_out = HeldOutLikelihood{-2.0 - lead, {}, {}};
      model.scores.push_back(score);
    }
    out.models.push_back(model);
  }
  return out;
}

RankRequest consensus() {
  RankRequest request;
  request.by_consensus = true;
  request.level = 0.0;
  return request;
}

TEST(HeldOutScore, DecidesTheConsensusWhereLabelsAreFew) {
  RankResult few = two_models({metric("logme"), metric("knn")});
  order_models(consensus(), few);
  EXPECT_TRUE(few.by_held_out);
  EXPECT_EQ(few.models[static_cast<std::size_t>(few.ranking.places[0].candidate)].name, "b");
  EXPECT_THAT(few.notes, ElementsAre(HasSubstr("held-out log likelihoods")));
  EXPECT_THAT(rank_verdict(few), HasSubstr("The answer is weak"));
  EXPECT_EQ(rank_json(few).at("few_labels").at("consensus_by"), "held_out");
  RankResult plenty = two_models({metric("logme"), metric("knn")});
  plenty.labels_per_class.reset();
  order_models(consensus(), plenty);
  EXPECT_FALSE(plenty.by_held_out);
  EXPECT_EQ(plenty.models[static_cast<std::size_t>(plenty.ranking.places[0].candidate)].name, "a");
  EXPECT_FALSE(rank_json(plenty).contains("few_labels"));
}

TEST(HeldOutScore, IsNotUsedWhereFewerThanTwoMetricsKnowIt) {
  RankResult result = two_models({metric("logme"), metric("knn")});
  result.models[1].scores[0].held_out.reset();
  order_models(consensus(), result);
  EXPECT_FALSE(result.by_held_out);
  EXPECT_THAT(result.consensus_metrics, ElementsAre(metric("logme"), metric("knn")));
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("weak guide")));
  EXPECT_EQ(rank_json(result).at("few_labels").at("consensus_by"), "value");
}

TEST(HeldOutScore, LeavesMetricsThatDoNotKnowItWithoutASay) {
  RankResult result = two_models({metric("logme"), metric("knn"), metric("linear_valid")});
  for (ScoredModel& model : result.models) model.scores[2].held_out.reset();
  order_models(consensus(), result);
  EXPECT_THAT(result.consensus_metrics, ElementsAre(metric("logme"), metric("knn")));
  EXPECT_THAT(result.notes[1], HasSubstr("linear_valid has no say"));
}

TEST(HeldOutScore, OrdersEveryDrawByItsOwn) {
  RankResult result = two_models({metric("logme"), metric("knn")});
  result.draws = 2;
  for (ScoredModel& model : result.models) {
    for (MetricScore& score : model.scores) {
      score.draws = {0.0, 0.0};
      const double own = score.held_out->value;
      score.held_out->draws = {own, -own};
    }
  }
  order_models(consensus(), result);
  EXPECT_THAT(result.draw_consensus, ElementsAre(ElementsAre(2.0, 1.0), ElementsAre(1.0, 2.0)));
}

TEST(HeldOutScore, OfLogmeIsTheMeanLogDensityOfEachRowGivenTheOthers) {
  const test::Sample sample = test::blobs(5, 3, 6, 1.0);
  const Rows rows = rows_of_matrix(sample.features, "features");
  const ScoreOptions options{.memory_limit = Index{1} << 30};
  const MetricScore score =
      score_model({test::pool(), *rows, sample.targets, Folds{}, options, {}}, {metric("logme")})
          .at(0);
  const Problem problem = make_problem(test::pool(), *rows, sample.targets, false, Index{1} << 30);
  const std::optional<LeftOutEvidence> left =
      leave_out_evidence(test::pool(), *rows, sample.targets, problem.reduced(),
                         maximize_evidence(problem.reduced(), problem.active()), {});
  ASSERT_TRUE(score.held_out);
  EXPECT_NEAR(score.held_out->value,
              std::accumulate(left->units.begin(), left->units.end(), 0.0) / 15.0, 1e-12);
  EXPECT_TRUE(score.held_out->contributions.empty());  // no intervals were asked for
}

TEST(HeldOutScore, LeavesOutRowsThatNothingIsKnownOf) {
  const Targets targets = test::class_targets({0, 0, 1, 1});
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> added = {-1.0, -3.0, unknown, -2.0};
  const std::optional<HeldOutLikelihood> found = held_out_score(added, targets, {}, true);
  EXPECT_DOUBLE_EQ(found->value, -2.0);
  EXPECT_EQ(found->contributions.size(), 4U);
  EXPECT_EQ(found->contributions[2], 0.0);
  EXPECT_FALSE(held_out_score(std::vector<double>(4, unknown), targets, {}, true));
  EXPECT_FALSE(held_out_score({}, targets, {}, true));
}

}  // namespace
}  // namespace assay
