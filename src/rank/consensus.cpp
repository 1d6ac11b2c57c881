#include "rank/consensus.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rank/place_models.h"

namespace assay {
namespace {

constexpr std::size_t kManyModels = 64;  // beyond, how many labels would help is not worked out

std::vector<double> ranks_of(const std::vector<Candidate>& candidates) {
  std::vector<double> sorted;
  for (const Candidate& one : candidates) sorted.push_back(one.value);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<double> ranks;
  for (const Candidate& one : candidates) {
    const auto [first, last] =
        std::equal_range(sorted.begin(), sorted.end(), one.value, std::greater<>());
    ranks.push_back(0.5 *
                    static_cast<double>((first - sorted.begin()) + 1 + (last - sorted.begin())));
  }
  return ranks;
}

// What it takes to tell two models apart, all pairs taken together: resamples whose deviations are
// stretched by `stretch` may turn the two round in a share `chance` of cases. For a normal
// difference that is the joint quantile; the stretch keeps the share large enough to be counted,
// however many pairs there are.
struct Threshold {
  double stretch = 1.0;
  double chance = 0.0;
};

Threshold threshold_for(double level, std::size_t models, Index units) {
  constexpr double countable = 3.0;  // normal quantile
  const double quantile = quantile_per_pair(level, models, units);
  const double stretch = std::max(1.0, quantile / countable);
  return {stretch, 0.5 * std::erfc(quantile / stretch / std::numbers::sqrt2)};
}

// Whether resamples keep one candidate before another.
bool holds(const Matrix& mean_rank, Index ahead, Index behind, const Threshold& threshold) {
  const auto reversed = (mean_rank.col(ahead).array() >= mean_rank.col(behind).array()).count();
  return static_cast<double>(reversed) <= threshold.chance * static_cast<double>(mean_rank.rows());
}

// Labels that would separate the winner from those it is tied with: deviations shrink with the root
// of their number, and the resamples are ranked again for more and more of them.
void find_labels_needed(const Columns& columns, const std::vector<double>& mean,
                        const Threshold& threshold, Ranking& ranking) {
  constexpr double step = 1.25;
  constexpr double most = 1e4;
  constexpr Index resamples = 1'000;
  if (mean.size() > kManyModels) return;
  const Index winner = ranking.places.front().candidate;
  const auto lead = [&](Index other) {
    return mean[static_cast<std::size_t>(other)] - mean[static_cast<std::size_t>(winner)];
  };
  std::vector<Place*> open;
  for (Place& place : ranking.places) {
    if (place.tie_group == 1 && lead(place.candidate) > 0.0) open.push_back(&place);
  }
  for (double times = step; times < most && !open.empty(); times *= step) {
    const Matrix mean_rank =
        resample_ranks(columns, resamples, threshold.stretch / std::sqrt(times)).mean_rank;
    std::erase_if(open, [&](Place* place) {
      const Index other = place->candidate;
      if (!holds(mean_rank, winner, other, threshold)) return false;
      place->times_the_labels = times;
      return true;
    });
  }
}

}  // namespace

std::vector<double> mean_ranks(const Columns& columns) {
  std::vector<double> mean(columns.front().size(), 0.0);
  for (const std::vector<Candidate>& column : columns) {
    const std::vector<double> ranks = ranks_of(column);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += ranks[i];
  }
  // Sums of halves are exact, so that equal ones stay equal.
  for (double& value : mean) value /= static_cast<double>(columns.size());
  return mean;
}

// Mean ranks (Borda 1781) with separations from resampled mean ranks: consensus.h, decision 0016.
Ranking rank_by_consensus(const Columns& columns, double level) {
  const std::vector<double> mean = mean_ranks(columns);
  const std::size_t models = mean.size();
  std::vector<double> values;
  std::vector<bool> known;
  for (std::size_t i = 0; i < models; ++i) {
    values.push_back(-mean[i]);
    known.push_back(std::any_of(columns.begin(), columns.end(), [&](const auto& column) {
      return !column[i].contributions.empty();
    }));
  }
  Ranking ranking{places_of(values, columns.front()), {}, 0.0, units_of(columns)};
  if (level == 0.0 || ranking.units < 2) return ranking;
  ranking.level = level;
  const ResampledRanks resampled = resample_ranks(columns, resamples_for(models));
  set_ranges(resampled, known, level, ranking.places);
  const Threshold threshold =
      models > 1 ? threshold_for(level, models, ranking.units) : Threshold{};
  const Matrix stretched =
      resample_ranks(columns, resamples_for(models), threshold.stretch).mean_rank;
  Matrix factor = resampled.mean_rank.rowwise() - resampled.mean_rank.colwise().mean();
  factor /= std::sqrt(static_cast<double>(factor.rows()));
  const auto test = [&](Index i, Index j, Comparison& one) {
    one.difference = mean[static_cast<std::size_t>(j)] - mean[static_cast<std::size_t>(i)];
    const Index ahead = one.difference > 0.0 ? i : j;
    one.separated = known[static_cast<std::size_t>(i)] && known[static_cast<std::size_t>(j)] &&
                    one.difference != 0.0 && holds(stretched, ahead, ahead == i ? j : i, threshold);
  };
  separate(factor, test, ranking);
  find_labels_needed(columns, mean, threshold, ranking);
  return ranking;
}

}  // namespace assay
