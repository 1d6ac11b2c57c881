#include "assay/evaluate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "assay/correlation.h"

namespace assay {
namespace {

using NameSet = std::set<std::string>;

// A model as one metric sees it; both numbers turned so that higher is better.
struct Contender {
  double score;
  double truth;
};

std::vector<std::string> only_in_first(const NameSet& first, const NameSet& second) {
  std::vector<std::string> difference;
  std::ranges::set_difference(first, second, std::back_inserter(difference));
  return difference;
}

NameSet scored_models(const std::vector<ScoreColumn>& scores) {
  NameSet names;
  for (const ScoreColumn& column : scores) {
    for (const auto& [name, score] : column.values) {
      if (!std::isnan(score)) names.insert(name);
    }
  }
  return names;
}

NameSet measured_models(const Truth& truth) {
  NameSet names;
  for (const auto& [name, value] : truth.values) {
    if (std::isfinite(value)) names.insert(name);
  }
  return names;
}

double best_truth(std::span<const Contender> candidates) {
  return std::ranges::max_element(candidates, {}, &Contender::truth)->truth;
}

// The k-th highest truth: whoever reaches it belongs to the truth's k best.
double truth_to_be_among(std::span<const Contender> candidates, std::size_t k) {
  std::vector<double> truths;
  for (const Contender& c : candidates) truths.push_back(c.truth);
  std::ranges::nth_element(truths, truths.begin() + static_cast<Index>(k) - 1, std::greater{});
  return truths[k - 1];
}

MetricQuality with_correlations(MetricQuality row, std::span<const Contender> candidates) {
  std::vector<double> scores;
  std::vector<double> truths;
  for (const Contender& c : candidates) {
    scores.push_back(c.score);
    truths.push_back(c.truth);
  }
  row.kendall = kendall_tau(scores, truths);
  row.weighted_kendall = weighted_kendall_tau(scores, truths);
  row.pearson = pearson(scores, truths);
  row.spearman = spearman(scores, truths);
  if (row.kendall) row.agreement = (*row.kendall + 1.0) / 2.0;
  return row;
}

// `candidates` in the metric's order, best first.
MetricQuality with_choices(MetricQuality row, std::span<const Contender> candidates) {
  if (candidates.size() < 2) return row;
  const double best = best_truth(candidates);
  const std::span<const Contender> top3 =
      candidates.first(std::min<std::size_t>(3, candidates.size()));
  const double entry = truth_to_be_among(candidates, top3.size());
  const Index hits =
      std::ranges::count_if(top3, [&](const Contender& c) { return c.truth >= entry; });
  row.top1 = candidates.front().truth == best;
  row.top3 = static_cast<double>(hits) / static_cast<double>(top3.size());
  row.regret1 = best - candidates.front().truth;
  row.regret3 = best - best_truth(top3);
  return row;
}

MetricQuality quality_of(const ScoreColumn& column, const Truth& truth, const NameSet& models) {
  MetricQuality row{.metric = column.name};
  std::vector<Contender> candidates;
  for (const std::string& name : models) {
    const auto score = column.values.find(name);
    if (score == column.values.end() || std::isnan(score->second)) {
      row.missing.push_back(name);
      continue;
    }
    const double measured = truth.values.at(name);
    candidates.push_back({.score = column.higher_is_better ? score->second : -score->second,
                          .truth = truth.higher_is_better ? measured : -measured});
  }
  std::ranges::sort(candidates, [](const Contender& a, const Contender& b) {
    return a.score != b.score ? a.score > b.score : a.truth < b.truth;
  });
  row.models = static_cast<Index>(candidates.size());
  return with_choices(with_correlations(std::move(row), candidates), candidates);
}

}  // namespace

Evaluation evaluate(const std::vector<ScoreColumn>& scores, const Truth& truth) {
  const NameSet scored = scored_models(scores);
  const NameSet measured = measured_models(truth);
  NameSet models;
  std::ranges::set_intersection(scored, measured, std::inserter(models, models.end()));

  Evaluation result;
  result.models = static_cast<Index>(models.size());
  for (const ScoreColumn& column : scores) {
    result.metrics.push_back(quality_of(column, truth, models));
  }
  for (const ScoreColumn& column : truth.baselines) {
    if (std::ranges::find(scores, column.name, &ScoreColumn::name) != scores.end()) continue;
    MetricQuality row = quality_of(column, truth, models);
    row.baseline = true;
    result.metrics.push_back(std::move(row));
  }
  result.only_in_scores = only_in_first(scored, measured);
  result.only_in_truth = only_in_first(measured, scored);
  return result;
}

}  // namespace assay
