#include "rank/ranking.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "rank/contributions.h"
#include "rank/place_models.h"
#include "stats/jackknife.h"
#include "stats/joint_spread.h"

namespace assay {
namespace {

constexpr double kMostTimes = 1e6;  // as many labels again are as good as none

// Errors shrink with the root of the number of labels.
void find_labels_needed(double quantile, Ranking& ranking) {
  for (Place& place : ranking.places) {
    const Comparison& one = ranking.versus_winner[static_cast<std::size_t>(place.candidate)];
    if (place.tie_group != 1 || place.rank == 1 || one.difference == 0.0 || !place.rank_low)
      continue;
    const double times = std::pow(quantile * one.standard_error / one.difference, 2);
    if (times < kMostTimes) place.times_the_labels = times;
  }
}

}  // namespace

Contributions contributions_of(const Candidate& candidate) {
  return {candidate.contributions, candidate.pair_contributions, candidate.triple_contributions};
}

// Marginal ranges, joint separations: ranking.h has the promises, docs/study-coverage.md how they
// hold.
Ranking rank_candidates(const std::vector<Candidate>& candidates, double level) {
  std::vector<double> values;
  std::vector<bool> known;
  std::vector<Contributions> contributions;
  for (const Candidate& one : candidates) {
    values.push_back(one.value);
    known.push_back(!one.contributions.empty() && std::isfinite(one.value));
    contributions.push_back(contributions_of(one));
  }
  const Columns columns = {candidates};
  Ranking ranking{places_of(values, candidates), {}, 0.0, units_of(columns)};
  if (level == 0.0 || ranking.units < 2) return ranking;
  ranking.level = level;
  set_ranges(resample_ranks(columns, resamples_for(candidates.size())), known, level,
             ranking.places);
  const double quantile =
      candidates.size() > 1 ? quantile_per_pair(level, candidates.size(), ranking.units) : 0.0;
  const auto test = [&](Index i, Index j, Comparison& one) {
    const auto a = static_cast<std::size_t>(i);
    const auto b = static_cast<std::size_t>(j);
    one.difference = values[a] - values[b];
    const double resolution = std::max(candidates[a].resolution, candidates[b].resolution);
    one.separated = known[a] && known[b] && std::abs(one.difference) > resolution &&
                    std::abs(one.difference) > quantile * one.standard_error;
  };
  separate(joint_spread(contributions), test, ranking);
  find_labels_needed(quantile, ranking);
  return ranking;
}

std::optional<Interval> score_interval(const MetricScore& score, double level) {
  if (level <= 0.0) return {};
  const ScoreContributions from = contributions_of(score);
  if (from.units.size() < 2) return {};
  const std::array one = {Contributions{from.units, from.pairs, from.triples}};
  double variance = joint_spread(one).squaredNorm() + score.score.extra_variance;
  // Outcomes 0 and 1: one more row that comes out otherwise must not surprise, or a share of 1
  // would have no error at all.
  const auto units = static_cast<double>(from.units.size());
  if (score.metric != nullptr && score.metric->replication == Replication::per_sample)
    variance += 1.0 / (units * units);
  const double half = student_t_factor(level, units - 1.0) * std::sqrt(variance);
  return Interval{score.score.value - half, score.score.value + half};
}

}  // namespace assay
