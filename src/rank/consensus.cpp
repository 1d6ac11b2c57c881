#include "rank/consensus.h"

#include <algorithm>

namespace assay {
namespace {

std::vector<double> ranks_of(const std::vector<Candidate>& candidates) {
  std::vector<double> ranks;
  for (const Candidate& one : candidates) {
    double rank = 1.0;
    for (const Candidate& other : candidates) {
      if (&other == &one) continue;
      rank += other.value > one.value ? 1.0 : other.value == one.value ? 0.5 : 0.0;
    }
    ranks.push_back(rank);
  }
  return ranks;
}

// +1 when the metrics together put i above j, -1 below, 0 when they cannot tell.
int verdict(const std::vector<Ranking>& rankings, std::size_t i, std::size_t j) {
  Index above = 0;
  Index below = 0;
  for (const Ranking& ranking : rankings) {
    const Comparison& one = ranking.comparisons[i][j];
    if (one.separated) ++(one.difference > 0.0 ? above : below);
  }
  const auto half = static_cast<double>(rankings.size()) / 2.0;
  if (below == 0 && static_cast<double>(above) > half) return 1;
  if (above == 0 && static_cast<double>(below) > half) return -1;
  return 0;
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

Ranking rank_by_consensus(const Columns& columns, double level) {
  const std::vector<double> mean = mean_ranks(columns);
  std::vector<Ranking> sure;
  for (const std::vector<Candidate>& column : columns) {
    Ranking one = rank_candidates(column, level);
    if (one.level > 0.0) sure.push_back(std::move(one));
  }
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < mean.size(); ++i)
    candidates.push_back({columns.front()[i].name, -mean[i], {}, {}});
  std::vector<std::vector<Comparison>> comparisons(mean.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double difference = mean[j] - mean[i];
      const int told = sure.empty() || i == j ? 0 : verdict(sure, i, j);
      comparisons[i].push_back({difference, 0.0, told != 0 && (told > 0) == (difference > 0.0)});
    }
  }
  return place_candidates(candidates, std::move(comparisons), sure.empty() ? 0.0 : level);
}

}  // namespace assay
