// Tests: rank/place_models.
#include "rank/order_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Metric* metric(const char* name) { return &find_metric(name); }

struct Parts {
  double fr = 0.0;
  double rer = 0.0;
};

// Models a, b, ... that logme and knn order one way and pactran_gauss the other.
RankResult hub(const std::vector<const Metric*>& metrics, const std::vector<Parts>& parts) {
  RankResult out;
  out.metrics = metrics;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ScoredModel model{std::string(1, static_cast<char>('a' + i)), 100, 8, {}, {}};
    for (const Metric* one : metrics) {
      MetricScore score{.metric = one};
      score.score.value = -static_cast<double>(i);
      if (one == metric("pactran_gauss"))
        score.score.details = {{"rer", parts[i].rer}, {"fr", parts[i].fr}};
      model.scores.push_back(score);
    }
    out.models.push_back(model);
  }
  return out;
}

RankRequest by_consensus() {
  RankRequest request;
  request.by_consensus = true;
  request.level = 0.0;
  return request;
}

const std::vector<const Metric*>& three() {
  static const std::vector<const Metric*> metrics = {metric("logme"), metric("knn"),
                                                     metric("pactran_gauss")};
  return metrics;
}

TEST(Voters, AreAllWhereThePartsOfAScoreVaryAlike) {
  RankResult result = hub(three(), {{1, 4}, {2, 3}, {3, 2}, {4, 1}});
  order_models(by_consensus(), result);
  EXPECT_EQ(result.consensus_metrics, three());
  EXPECT_DOUBLE_EQ(result.balance.at(metric("pactran_gauss")), 1.0);
  EXPECT_THAT(result.consensus, ElementsAre(2.0, 7.0 / 3.0, 8.0 / 3.0, 3.0));
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(Voters, AreWithoutTheOneWhosePartsDrownEachOther) {
  for (const double factor : {5.0, 0.2}) {
    RankResult result =
        hub(three(), {{1 * factor, 4}, {2 * factor, 3}, {3 * factor, 2}, {4 * factor, 1}});
    order_models(by_consensus(), result);
    EXPECT_THAT(result.consensus_metrics, ElementsAre(metric("logme"), metric("knn")));
    EXPECT_DOUBLE_EQ(result.balance.at(metric("pactran_gauss")), factor);
    EXPECT_THAT(result.consensus, ElementsAre(1.0, 2.0, 3.0, 4.0));
    EXPECT_THAT(result.notes, ElementsAre(HasSubstr("pactran_gauss has no say")));
  }
}

TEST(Voters, AreAllWhereNothingCanBeTold) {
  RankResult few = hub(three(), {{10, 4}, {20, 3}, {30, 2}});  // too few models
  order_models(by_consensus(), few);
  EXPECT_EQ(few.consensus_metrics, three());
  RankResult result = hub(three(), {{10, 4}, {20, 3}, {30, 2}, {40, 1}});
  for (ScoredModel& model : result.models) model.scores[2].score.details.clear();
  order_models(by_consensus(), result);
  EXPECT_EQ(result.consensus_metrics, three());
}

TEST(Voters, AreNeverFewerThanTwoForWantOfBalance) {
  RankResult result =
      hub({metric("logme"), metric("pactran_gauss")}, {{10, 4}, {20, 3}, {30, 2}, {40, 1}});
  order_models(by_consensus(), result);
  EXPECT_THAT(result.consensus_metrics, ElementsAre(metric("logme"), metric("pactran_gauss")));
  EXPECT_EQ(result.consensus.size(), 4U);
}

// The error of linear_valid is better when it is lower, LogME when it is higher.
TEST(OrderModels, PutsTheBestFirstWhicheverWayAMetricPoints) {
  RankResult result = hub({metric("logme"), metric("linear_valid")}, {{}, {}, {}});
  RankRequest request;
  request.level = 0.0;
  request.by = metric("logme");
  order_models(request, result);
  EXPECT_EQ(result.ranking.places.front().candidate, 0);  // scores are 0, -1, -2
  EXPECT_EQ(result.by, metric("logme"));
  result.consensus_metrics.clear();
  request.by = metric("linear_valid");
  order_models(request, result);
  EXPECT_EQ(result.ranking.places.front().candidate, 2);
}

TEST(OrderModels, MarksTheModelsThatNoneIsBothFasterAndBetterThan) {
  RankResult result = hub({metric("logme")}, {{}, {}, {}, {}});
  RankRequest request;
  request.level = 0.0;
  request.by = metric("logme");
  order_models(request, result);
  Hub costs;
  costs.costs["a"] = {.latency_ms = 5.0};
  costs.costs["b"] = {.latency_ms = 7.0};
  costs.costs["d"] = {.latency_ms = 2.0};  // nothing is known of c
  add_costs(costs, result);
  std::vector<bool> front;
  for (const ScoredModel& model : result.models) front.push_back(model.pareto);
  EXPECT_THAT(front, ElementsAre(true, false, false, true));
  EXPECT_FALSE(result.models[2].cost);
}

TEST(Agreement, OfTwoMetricsIsTauOverTheModelsThatBothScore) {
  RankResult result = hub({metric("logme"), metric("linear_valid")}, {{}, {}, {}});
  add_agreement(result);
  ASSERT_EQ(result.agreement.size(), 2U);
  EXPECT_EQ(result.agreement[0][0], 1.0);
  EXPECT_EQ(result.agreement[0][1], -1.0);  // equal values, opposite directions
  RankResult two = hub({metric("logme"), metric("linear_valid")}, {{}, {}});
  add_agreement(two);
  EXPECT_THAT(two.agreement, IsEmpty());
}

}  // namespace
}  // namespace assay
