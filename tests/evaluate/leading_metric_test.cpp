// Tests: evaluate/leading_metric, evaluate/evaluate_verdict.
#include "evaluate/leading_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/correlation.h"
#include "evaluate/evaluate_verdict.h"
#include "stats/jackknife.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Values = std::map<std::string, double>;

// Models m0, m1, ... by their places.
Values by_place(const std::vector<double>& values) {
  Values out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out["m" + std::string(i < 10 ? "0" : "") + std::to_string(i)] = values[i];
  return out;
}

std::vector<double> rising(int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(i);
  return out;
}

EvaluationReport report_of(std::vector<ComparedDataset> datasets) {
  EvaluationReport report{
      .truth_column = "accuracy", .group_column = "", .comparison = {}, .result = {}};
  report.result = evaluate_many(datasets);
  report.comparison.datasets = std::move(datasets);
  return report;
}

ComparedDataset dataset(const std::string& name, const std::vector<ScoreColumn>& scores,
                        const std::vector<double>& truth,
                        const std::vector<ScoreColumn>& baselines = {}) {
  return {.name = name,
          .scores = scores,
          .truth = {.column = "accuracy", .values = by_place(truth), .baselines = baselines}};
}

const std::vector<double> kAlmost = {1, 0, 2, 3, 5, 4, 6, 7, 8, 9, 11, 10};
const std::vector<double> kReversed = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

TEST(LeadingMetric, HasTheJackknifesIntervalWithOneModelMore) {
  const EvaluationReport report =
      report_of({dataset("pets", {{.name = "logme", .values = by_place(kAlmost)}}, rising(12))});
  const auto lead = leading_metric(report.comparison.datasets, report.result);
  ASSERT_TRUE(lead);
  std::vector<double> replicates;
  for (std::size_t i = 0; i < 12; ++i) {
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t k = 0; k < 12; ++k) {
      if (k == i) continue;
      x.push_back(kAlmost[k]);
      y.push_back(static_cast<double>(k));
    }
    replicates.push_back(weighted_kendall_tau(x, y).value());
  }
  double mean = 0.0;
  for (const double one : replicates) mean += one / 12.0;
  double squares = 1.0 / 144.0;
  for (const double one : replicates) squares += 11.0 / 12.0 * (one - mean) * (one - mean);
  constexpr double kStudent11 = 2.200985;
  EXPECT_NEAR(*lead->tau.low, lead->tau.value - kStudent11 * std::sqrt(squares), 1e-6);
  EXPECT_LE(*lead->tau.high, 1.0);
}

TEST(LeadingMetric, IsAheadOfOneThatIsReversed) {
  const EvaluationReport report =
      report_of({dataset("pets",
                         {{.name = "good", .values = by_place(kAlmost)},
                          {.name = "bad", .values = by_place(kReversed)}},
                         rising(12))});
  EXPECT_THAT(leading_metric(report.comparison.datasets, report.result)->not_separable, IsEmpty());
  EXPECT_THAT(evaluation_verdict(report),
              HasSubstr("good predicted the measured accuracy best, ahead of every other metric"));
}

TEST(LeadingMetric, IsNotSeparableFromItsTwin) {
  const EvaluationReport report =
      report_of({dataset("pets",
                         {{.name = "one", .values = by_place(rising(12))},
                          {.name = "two", .values = by_place(kAlmost)},
                          {.name = "bad", .values = by_place(kReversed)}},
                         rising(12))});
  const auto lead = leading_metric(report.comparison.datasets, report.result);
  EXPECT_EQ(lead->name, "one");
  EXPECT_THAT(lead->not_separable, ElementsAre("two"));
  const std::string verdict = evaluation_verdict(report);
  EXPECT_THAT(verdict, HasSubstr("is not separable from two: weighted tau 1.000, 95 % interval"));
  EXPECT_THAT(verdict, Not(HasSubstr("best")));
  const auto json = leading_metric_json(report);
  EXPECT_EQ(json.at("metric"), "one");
  EXPECT_EQ(json.at("not_separable_from"), nlohmann::ordered_json({"two"}));
}

// A perfect order of few models has no spread at all, and is still no certainty.
TEST(LeadingMetric, OfAPerfectOrderOfFewModelsHasAWideInterval) {
  const EvaluationReport report =
      report_of({dataset("pets", {{.name = "logme", .values = by_place(rising(5))}}, rising(5))});
  const auto lead = leading_metric(report.comparison.datasets, report.result);
  EXPECT_EQ(lead->tau.value, 1.0);
  EXPECT_LT(*lead->tau.low, 0.6);
}

TEST(LeadingMetric, OfThreeModelsHasNoInterval) {
  const EvaluationReport report =
      report_of({dataset("pets",
                         {{.name = "good", .values = by_place(rising(3))},
                          {.name = "bad", .values = by_place({2, 1, 0})}},
                         rising(3))});
  const auto lead = leading_metric(report.comparison.datasets, report.result);
  EXPECT_FALSE(lead->tau.low);
  EXPECT_THAT(lead->not_separable, ElementsAre("bad"));
  EXPECT_THAT(evaluation_verdict(report), HasSubstr("too few models for an interval"));
}

TEST(LeadingMetric, SaysWhetherItBeatsTheBestStaticColumn) {
  const ScoreColumn params{.name = "params", .values = by_place(kAlmost)};
  const ScoreColumn size{.name = "size", .values = by_place(kReversed)};
  const auto lead_against = [&](const ScoreColumn& baseline) {
    const EvaluationReport report = report_of({dataset(
        "pets", {{.name = "logme", .values = by_place(rising(12))}}, rising(12), {baseline})});
    return std::pair(*leading_metric(report.comparison.datasets, report.result),
                     evaluation_verdict(report));
  };
  EXPECT_FALSE(lead_against(params).first.beats_baseline);
  EXPECT_THAT(lead_against(params).second, HasSubstr("the difference could be chance"));
  EXPECT_TRUE(lead_against(size).first.beats_baseline);
  EXPECT_THAT(lead_against(size).second, HasSubstr("the difference is real"));
}

TEST(LeadingMetric, OverDataSetsTakesTheDataSetForTheUnit) {
  std::vector<ComparedDataset> sets;
  const std::vector<std::vector<double>> scores = {
      {0, 1, 2, 3, 4}, {1, 0, 2, 3, 4}, {0, 1, 3, 2, 4}, {0, 1, 2, 4, 3}};
  for (std::size_t k = 0; k < scores.size(); ++k)
    sets.push_back(dataset("set" + std::to_string(k),
                           {{.name = "logme", .values = by_place(scores[k])}}, rising(5)));
  const EvaluationReport report = report_of(sets);
  const auto lead = leading_metric(report.comparison.datasets, report.result);
  std::vector<double> taus;
  for (const auto& score : scores) taus.push_back(*weighted_kendall_tau(score, rising(5)));
  double mean = 0.0;
  for (const double tau : taus) mean += tau / 4.0;
  double squares = 0.0;
  for (const double tau : taus) squares += (tau - mean) * (tau - mean);
  constexpr double kStudent3 = 3.182446;
  EXPECT_NEAR(lead->tau.value, mean, 1e-12);
  EXPECT_NEAR(*lead->tau.low, mean - kStudent3 * std::sqrt(squares / 12.0), 1e-6);
  EXPECT_THAT(evaluation_verdict(report), HasSubstr("over 4 data sets"));
}

TEST(LeadingMetric, OfNothingComparableSaysSo) {
  const EvaluationReport report =
      report_of({dataset("pets", {{.name = "logme", .values = by_place({1})}}, {2})});
  EXPECT_FALSE(leading_metric(report.comparison.datasets, report.result));
  EXPECT_TRUE(leading_metric_json(report).is_null());
  EXPECT_THAT(evaluation_verdict(report), HasSubstr("Nothing to compare"));
}

}  // namespace
}  // namespace assay
