#include "rank/guessing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

std::optional<double> detail_of(const Score& score, std::string_view name) {
  for (const auto& [key, value] : score.details) {
    if (key == name) return value;
  }
  return {};
}

bool is_share(const Metric& metric) {
  return metric.replication == Replication::per_sample &&
         (metric.unit == "accuracy" || metric.unit == "error");
}

double sign_of(const Metric& metric) {
  return metric.direction == Direction::higher_is_better ? 1.0 : -1.0;
}

// The lower end of what the score is above guessing, and the score in units of half its interval.
struct Lead {
  double least = 0.0;
  double halves = 0.0;
};

std::optional<Lead> lead_over(double guess, const MetricScore& score, double level) {
  const std::optional<Interval> interval = score_interval(score, level);
  if (!interval || !std::isfinite(score.score.value)) return {};
  const double half = 0.5 * (interval->high - interval->low);
  const double lead = sign_of(*score.metric) * (score.score.value - guess);
  return Lead{lead - half - score.score.error,
              lead / std::max(half, std::numeric_limits<double>::min())};
}

// LogME above the evidence of no features: knowledge, or a mean that imitates an intercept.
bool may_know_without_intercept(const RankResult& result, const MetricScore& score, double level) {
  if (score.metric->name != "logme" || result.centered) return false;
  const std::optional<double> gain = detail_of(score.score, "gain");
  if (!gain) return false;
  const std::optional<Lead> lead = lead_over(score.score.value - *gain, score, level);
  return lead && lead->least > 0.0;
}

Index count_tests(const RankResult& result) {
  Index tests = 0;
  for (const ScoredModel& model : result.models) {
    for (const MetricScore& score : model.scores)
      tests += score_of_guessing(result, score) && score_interval(score, 0.5) ? 1 : 0;
  }
  return tests;
}

}  // namespace

std::optional<double> score_of_guessing(const RankResult& result, const MetricScore& score) {
  if (score.metric == nullptr) return {};
  if (score.metric->name == "logme") {
    if (!result.centered) return result.logme_of_constant;
    const std::optional<double> gain = detail_of(score.score, "gain");
    return gain ? std::optional(score.score.value - *gain) : std::nullopt;
  }
  if (!is_share(*score.metric)) return {};
  const bool error = score.metric->unit == "error";
  if (const std::optional<double> chance = detail_of(score.score, "chance"))
    return error ? 1.0 - *chance : *chance;
  if (result.largest_class) return error ? 1.0 - *result.largest_class : *result.largest_class;
  return {};
}

std::optional<bool> Guessing::beaten() const {
  const auto is = [&](const std::optional<bool>& wanted) {
    return std::ranges::find(beaten_by, wanted) != beaten_by.end();
  };
  if (is(true)) return true;
  if (beaten_by.empty() || is(std::nullopt)) return {};
  return false;
}

Guessing judge_guessing(const RankResult& result) {
  Guessing judged;
  const Index tests = result.ranking.level > 0.0 ? count_tests(result) : 0;
  // score_interval has two tails, and only one of them is of interest.
  const double level =
      tests > 0 ? 1.0 - 2.0 * (1.0 - result.ranking.level) / static_cast<double>(tests) : 0.0;
  double highest = -std::numeric_limits<double>::infinity();
  for (const ScoredModel& model : result.models) {
    std::optional<bool> beats;
    for (const MetricScore& score : model.scores) {
      const std::optional<double> guess = score_of_guessing(result, score);
      const std::optional<Lead> lead = guess ? lead_over(*guess, score, level) : std::nullopt;
      if (!lead) continue;
      const bool above = lead->least > 0.0;
      if (above || !may_know_without_intercept(result, score, level))
        beats = beats.value_or(false) || above;
      if (lead->halves > highest) {
        highest = lead->halves;
        judged.closest = {&model, &score, *guess};
      }
    }
    judged.beaten_by.push_back(beats);
  }
  return judged;
}

}  // namespace assay
