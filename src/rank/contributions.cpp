#include "rank/contributions.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <set>

#include "core/random.h"
#include "metrics/row_interactions.h"
#include "stats/jackknife.h"

namespace assay {
namespace {

// Strata whose means are given: the classes, those of one row taken together.
std::vector<std::size_t> strata_of(const Targets& targets) {
  if (targets.kind != TargetKind::classes)
    return std::vector<std::size_t>(static_cast<std::size_t>(targets.rows()), 0);
  std::vector<Index> counts(static_cast<std::size_t>(targets.columns()), 0);
  for (const Label label : targets.labels) ++counts[static_cast<std::size_t>(label)];
  std::vector<std::size_t> strata;
  for (const Label label : targets.labels) {
    const auto code = static_cast<std::size_t>(label);
    strata.push_back(counts[code] > 1 ? code + 1 : 0);
  }
  return strata;
}

// Takes off the mean of each stratum, and makes up for the degree of freedom that costs. One value
// alone does not show how its stratum varies, but to count it as certain would be wrong (three rows
// of a class are 1 and 2 in halves): it is taken about the mean of all.
void center_within(std::span<const std::size_t> strata, std::vector<double>& values) {
  const std::size_t kinds = 1 + *std::max_element(strata.begin(), strata.end());
  std::vector<double> sum(kinds, 0.0);
  std::vector<double> count(kinds, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    sum[strata[i]] += values[i];
    count[strata[i]] += 1.0;
  }
  const double all = std::accumulate(count.begin(), count.end(), 0.0);
  const double mean = all > 0.0 ? std::accumulate(sum.begin(), sum.end(), 0.0) / all : 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double size = count[strata[i]];
    if (std::isnan(values[i]))
      values[i] = 0.0;
    else if (size < 2.0)
      values[i] -= mean;
    else
      values[i] = (values[i] - sum[strata[i]] / size) * std::sqrt(size / (size - 1.0));
  }
}

double counted(std::span<const double> values) {
  return static_cast<double>(
      std::count_if(values.begin(), values.end(), [](double value) { return !std::isnan(value); }));
}

// What each unit contributes, scaled as joint_spread.h asks (decision 0016).
// Sums by group of rows, or blocks as they are; less their share of the whole.
std::vector<double> group_contributions(std::span<const double> added,
                                        std::span<const Label> groups) {
  const auto count = static_cast<std::size_t>(*std::max_element(groups.begin(), groups.end())) + 1;
  const bool blocks = added.size() == count && count != groups.size();
  std::vector<double> sums(count, 0.0);
  std::vector<double> sizes(count, 0.0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto group = static_cast<std::size_t>(groups[i]);
    if (!blocks && std::isnan(added[i])) continue;
    sizes[group] += 1.0;
    if (!blocks) sums[group] += added[i];
  }
  if (blocks) sums.assign(added.begin(), added.end());
  const double rows = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / rows;
  const double freedom = static_cast<double>(count) / (static_cast<double>(count) - 1.0);
  for (std::size_t g = 0; g < count; ++g)
    sums[g] = (sums[g] - sizes[g] * mean) * std::sqrt(freedom) / rows;
  return sums;
}

// How many classes rows are of; of other targets, one.
std::size_t classes_among(std::initializer_list<Index> rows, const Targets& targets) {
  std::set<Label> seen;
  for (const Index row : rows)
    seen.insert(targets.kind == TargetKind::classes ? targets.labels[static_cast<std::size_t>(row)]
                                                    : Label{0});
  return seen.size();
}

// Of sampled sets of rows, so that the sum of squares is that over all `sets` there are.
std::vector<double> set_contributions(std::span<const double> added,
                                      std::span<const std::size_t> strata, double sets,
                                      double rows) {
  if (added.size() != strata.size() || added.empty()) return {};
  std::vector<double> out(added.begin(), added.end());
  center_within(strata, out);
  const double scale = std::sqrt(sets / static_cast<double>(added.size())) / rows;
  for (double& value : out) value *= scale;
  return out;
}

}  // namespace

std::vector<double> unit_contributions(std::span<const double> added, const Targets& targets,
                                       std::span<const Label> groups) {
  const double rows = counted(added);
  if (added.empty() || rows < 2.0) return {};
  if (!groups.empty()) return group_contributions(added, groups);
  std::vector<double> out(added.begin(), added.end());
  center_within(strata_of(targets), out);
  for (double& value : out) value /= rows;
  return out;
}

std::vector<double> block_contributions(std::vector<double> units, Index most) {
  if (std::ssize(units) <= most) return units;
  constexpr std::uint64_t seed = 24;  // no choice of the user's
  std::vector<double> sums(static_cast<std::size_t>(most), 0.0);
  for (std::size_t i = 0; i < units.size(); ++i)
    sums[mixed_seed(seed, i) % static_cast<std::uint64_t>(most)] += units[i];
  return sums;
}

std::vector<double> pair_contributions(std::span<const double> added, const Targets& targets) {
  const auto rows = static_cast<double>(targets.rows());
  std::vector<std::size_t> strata;
  for (const RowPair& pair : sampled_pairs(targets.rows()))
    strata.push_back(classes_among({pair.first, pair.second}, targets));
  return set_contributions(added, strata, 0.5 * rows * (rows - 1.0), rows);
}

std::vector<double> triple_contributions(std::span<const double> added, const Targets& targets) {
  const auto rows = static_cast<double>(targets.rows());
  const std::vector<RowPair> pairs = sampled_pairs(targets.rows());
  std::vector<std::size_t> strata;
  for (const RowTriple& triple : sampled_triples(targets.rows())) {
    const RowPair& first = pairs[static_cast<std::size_t>(triple.first)];
    const RowPair& second = pairs[static_cast<std::size_t>(triple.second)];
    strata.push_back(classes_among({first.first, first.second, second.second}, targets));
  }
  return set_contributions(added, strata, rows * (rows - 1.0) * (rows - 2.0) / 6.0, rows);
}

ScoreContributions contributions_of(const MetricScore& score) {
  if (!score.contributions.empty() || score.replicates.size() < 2)
    return {score.contributions, score.pair_contributions, score.triple_contributions};
  const auto folds = static_cast<double>(score.replicates.size());
  const double mean =
      std::accumulate(score.replicates.begin(), score.replicates.end(), 0.0) / folds;
  // Kernels of BLAS differ in what they make of NaN: nothing is known then.
  if (!std::isfinite(mean) || !std::isfinite(score.score.value)) return {};
  const double plain = jackknife_standard_error(score.score.value, score.replicates);
  const double corrected =
      jackknife_standard_error(score.score.value, score.replicates, score.pair_replicates);
  const double scale = std::sqrt((folds - 1.0) / folds) * (plain > 0.0 ? corrected / plain : 1.0);
  ScoreContributions out;
  for (const double replicate : score.replicates) out.units.push_back(scale * (mean - replicate));
  return out;
}

}  // namespace assay
