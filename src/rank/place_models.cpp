#include "rank/place_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/gram.h"
#include "stats/jackknife.h"

namespace assay {
namespace {

constexpr Index kTile = 256;  // models compared with all others at a time

double finite_or_last(double value) {
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

bool overlap(const Place& a, const Place& b) {
  if (!a.rank_low || !b.rank_low) return true;
  return *a.rank_low <= *b.rank_high && *b.rank_low <= *a.rank_high;
}

void set_tie_groups(std::vector<Place>& places) {
  Index group = 0;
  for (const Place& leader : places) {
    if (leader.tie_group != 0) continue;
    ++group;
    for (Place& place : places) {
      const bool apart = std::binary_search(leader.separable_from.begin(),
                                            leader.separable_from.end(), place.candidate);
      if (place.tie_group == 0 && !apart) place.tie_group = group;
    }
  }
}

}  // namespace

std::vector<Place> places_of(std::span<const double> values,
                             const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double one = finite_or_last(values[a]);
    const double other = finite_or_last(values[b]);
    return one != other ? one > other : candidates[a].name < candidates[b].name;
  });
  std::vector<Place> places;
  for (const std::size_t i : order)
    places.push_back({.candidate = static_cast<Index>(i), .rank = std::ssize(places) + 1});
  return places;
}

Index resamples_for(std::size_t models) {
  return models <= 32 ? 10'000 : models <= 1'000 ? 4'000 : 1'000;
}

void set_ranges(const ResampledRanks& resampled, const std::vector<bool>& known, double level,
                std::vector<Place>& places) {
  for (Place& place : places) {
    const auto i = static_cast<std::size_t>(place.candidate);
    if (!known[i]) continue;
    std::vector<Index> low = resampled.low[i];
    std::vector<Index> high = resampled.high[i];
    const auto tail =
        static_cast<std::ptrdiff_t>(0.5 * (1.0 - level) * static_cast<double>(low.size()));
    std::nth_element(low.begin(), low.begin() + tail, low.end());
    std::nth_element(high.begin(), high.end() - 1 - tail, high.end());
    place.rank_low = std::min(place.rank, low[static_cast<std::size_t>(tail)]);
    place.rank_high = std::max(place.rank, *(high.end() - 1 - tail));
  }
}

void separate(const Matrix& factor, const std::function<void(Index, Index, Comparison&)>& test,
              Ranking& ranking) {
  std::vector<Place*> of_candidate(ranking.places.size());
  for (Place& place : ranking.places)
    of_candidate[static_cast<std::size_t>(place.candidate)] = &place;
  const auto count = std::ssize(ranking.places);
  const Vector square = factor.colwise().squaredNorm().transpose();
  const Index winner = ranking.places.front().candidate;
  ranking.versus_winner.resize(ranking.places.size());
  for (Index first = 0; first < count; first += kTile) {
    const Index some = std::min<Index>(kTile, count - first);
    const Matrix inner = product(factor.middleCols(first, some), true, factor, false);
    for (Index i = first; i < first + some; ++i) {
      Place& mine = *of_candidate[static_cast<std::size_t>(i)];
      for (Index j = 0; j < count; ++j) {
        if (i == j) continue;
        Comparison one;
        one.standard_error =
            std::sqrt(std::max(0.0, square[i] + square[j] - 2.0 * inner(i - first, j)));
        test(i, j, one);
        one.separated = one.separated && !overlap(mine, *of_candidate[static_cast<std::size_t>(j)]);
        if (one.separated) mine.separable_from.push_back(j);
        if (i == winner) ranking.versus_winner[static_cast<std::size_t>(j)] = one;
      }
    }
  }
  set_tie_groups(ranking.places);
}

// Bonferroni over all pairs, with Student's t (place_models.h).
double chance_per_pair(double level, std::size_t models) {
  const auto count = static_cast<double>(models);
  return (1.0 - level) / (0.5 * count * (count - 1.0));
}

double quantile_per_pair(double level, std::size_t models, Index units) {
  return student_t_factor(1.0 - chance_per_pair(level, models), static_cast<double>(units) - 1.0);
}

}  // namespace assay
