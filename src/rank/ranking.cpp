#include "rank/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/jackknife.h"

namespace assay {
namespace {

std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out(a.size());
  std::transform(a.begin(), a.end(), b.begin(), out.begin(), std::minus<>{});
  return out;
}

Comparison compare(const Candidate& a, const Candidate& b) {
  Comparison out{a.value - b.value, 0.0, false};
  if (a.replicates.empty()) return out;
  const bool corrected = a.pair_replicates.size() == b.pair_replicates.size();
  out.standard_error = jackknife_standard_error(
      out.difference, minus(a.replicates, b.replicates),
      corrected ? minus(a.pair_replicates, b.pair_replicates) : std::vector<double>());
  return out;
}

// Holm's step-down procedure over the comparisons of one model.
void separate(std::vector<Comparison>& row, std::size_t self, double level, double degrees) {
  std::vector<std::pair<double, std::size_t>> p_values;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (j != self)
      p_values.emplace_back(two_sided_p_value(row[j].difference, row[j].standard_error, degrees),
                            j);
  }
  std::sort(p_values.begin(), p_values.end());
  for (std::size_t k = 0; k < p_values.size(); ++k) {
    if (p_values[k].first > (1.0 - level) / static_cast<double>(p_values.size() - k)) return;
    row[p_values[k].second].separated = true;
  }
}

// Two models are apart only when the tests of both say so: "a lies apart from b" must not depend
// on whose line one reads. It can only widen the intervals.
void make_symmetric(std::vector<std::vector<Comparison>>& comparisons) {
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool both = comparisons[i][j].separated && comparisons[j][i].separated;
      comparisons[i][j].separated = both;
      comparisons[j][i].separated = both;
    }
  }
}

}  // namespace

Ranking rank_candidates(std::span<const Candidate> candidates, double level) {
  const std::size_t count = candidates.size();
  const std::size_t folds = count == 0 ? 0 : candidates.front().replicates.size();
  const double sure = folds >= 2 ? level : 0.0;
  std::vector<std::vector<Comparison>> comparisons;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Comparison> row;
    for (std::size_t j = 0; j < count; ++j) row.push_back(compare(candidates[i], candidates[j]));
    if (sure > 0.0) separate(row, i, level, static_cast<double>(folds) - 1.0);
    comparisons.push_back(std::move(row));
  }
  make_symmetric(comparisons);
  return place_candidates(candidates, std::move(comparisons), sure);
}

Ranking place_candidates(std::span<const Candidate> candidates,
                         std::vector<std::vector<Comparison>> comparisons, double level) {
  const std::size_t count = candidates.size();
  Ranking ranking{{}, std::move(comparisons), level};
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (candidates[a].value != candidates[b].value)
      return candidates[a].value > candidates[b].value;
    return candidates[a].name < candidates[b].name;
  });
  std::size_t leader = 0;
  Index group = 0;
  for (std::size_t position = 0; position < count; ++position) {
    const std::size_t i = order[position];
    Place place{static_cast<Index>(i), static_cast<Index>(position) + 1, {}, {}, 0};
    // Without intervals nothing is known about ties: every model is its own group.
    if (position == 0 || ranking.level == 0.0 || ranking.comparisons[leader][i].separated) {
      leader = i;
      ++group;
    }
    place.tie_group = group;
    if (ranking.level > 0.0) {
      Index better = 0;
      Index worse = 0;
      for (const Comparison& other : ranking.comparisons[i]) {
        if (!other.separated) continue;
        (other.difference < 0.0 ? better : worse) += 1;
      }
      place.rank_low = 1 + better;
      place.rank_high = static_cast<Index>(count) - worse;
    }
    ranking.places.push_back(place);
  }
  return ranking;
}

double samples_to_separate(const Comparison& comparison, Index samples, Index folds, double level) {
  if (comparison.difference == 0.0) return 0.0;
  const double factor = student_t_factor(level, static_cast<double>(folds) - 1.0);
  const double ratio = factor * comparison.standard_error / comparison.difference;
  return static_cast<double>(samples) * ratio * ratio;
}

std::optional<Interval> score_interval(const MetricScore& score, double level) {
  if (score.replicates.size() < 2 || level <= 0.0) return {};
  const double factor = student_t_factor(level, static_cast<double>(score.replicates.size()) - 1.0);
  const double half =
      factor * std::hypot(jackknife_standard_error(score.score.value, score.replicates,
                                                   score.pair_replicates),
                          std::sqrt(score.score.extra_variance));
  return Interval{score.score.value - half, score.score.value + half};
}

}  // namespace assay
