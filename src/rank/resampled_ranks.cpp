#include "rank/resampled_ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/joint_spread.h"

namespace assay {
namespace {

constexpr std::uint64_t kSeed = 22;  // no choice of the user's: the same scores, the same ranges
constexpr Index kTogether = 500;     // resamples drawn at a time

std::vector<Contributions> contributions_of(std::span<const std::vector<Candidate>> columns) {
  std::vector<Contributions> out;
  for (const std::vector<Candidate>& column : columns) {
    for (const Candidate& one : column) out.push_back(contributions_of(one));
  }
  return out;
}

// Adds to `sum` the ranks of one metric's scores; scores within each other's rounding share theirs.
void add_ranks(const std::vector<double>& scores, double resolution, std::vector<Index>& order,
               std::vector<double>& sum) {
  std::iota(order.begin(), order.end(), Index{0});
  const auto score = [&](Index i) { return scores[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return score(a) > score(b); });
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && score(order[end - 1]) - score(order[end]) <= resolution) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    for (; begin < end; ++begin) sum[static_cast<std::size_t>(order[begin])] += rank;
  }
}

// Places by mean rank: sums of halves over a few metrics are exact, so that equal ones are equal.
void note_places(const std::vector<double>& mean, std::vector<Index>& order, ResampledRanks& out) {
  const auto value = [&](std::size_t k) { return mean[static_cast<std::size_t>(order[k])]; };
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return mean[static_cast<std::size_t>(a)] < mean[static_cast<std::size_t>(b)];
  });
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && value(end) == value(begin)) ++end;
    for (std::size_t k = begin; k < end; ++k) {
      const auto model = static_cast<std::size_t>(order[k]);
      out.low[model].push_back(static_cast<Index>(begin) + 1);
      out.high[model].push_back(static_cast<Index>(end));
    }
    begin = end;
  }
}

}  // namespace

Index units_of(std::span<const std::vector<Candidate>> columns) {
  std::size_t units = 0;
  for (const std::vector<Candidate>& column : columns) {
    for (const Candidate& one : column) units = std::max(units, one.contributions.size());
  }
  return static_cast<Index>(units);
}

// Draws from the joint distribution of all scores, to first order (joint_spread.h; decision 0016).
ResampledRanks resample_ranks(std::span<const std::vector<Candidate>> columns, Index resamples,
                              double scale) {
  const std::size_t models = columns.front().size();
  const Matrix factor = scale * joint_spread(contributions_of(columns));
  const double degrees = static_cast<double>(units_of(columns)) - 1.0;
  ResampledRanks out{Matrix(resamples, static_cast<Index>(models)),
                     std::vector<std::vector<Index>>(models),
                     std::vector<std::vector<Index>>(models)};
  std::vector<Index> order(models);
  std::vector<double> scores(models);
  for (Index first = 0; first < resamples; first += kTogether) {
    const Index count = std::min(kTogether, resamples - first);
    const Matrix deviations =
        draw_deviations(factor, count, degrees, kSeed + static_cast<std::uint64_t>(first));
    for (Index b = 0; b < count; ++b) {
      std::vector<double> mean(models, 0.0);
      for (std::size_t m = 0; m < columns.size(); ++m) {
        double resolution = 0.0;
        for (std::size_t i = 0; i < models; ++i) {
          scores[i] = columns[m][i].value + deviations(b, static_cast<Index>(m * models + i));
          resolution = std::max(resolution, columns[m][i].resolution);
        }
        add_ranks(scores, resolution, order, mean);
      }
      for (double& value : mean) value /= static_cast<double>(columns.size());
      note_places(mean, order, out);
      out.mean_rank.row(first + b) =
          Eigen::Map<const Eigen::RowVectorXd>(mean.data(), std::ssize(mean));
    }
  }
  return out;
}

}  // namespace assay
