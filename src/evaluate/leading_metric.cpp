#include "evaluate/leading_metric.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "assay/correlation.h"
#include "stats/jackknife.h"

namespace assay {
namespace {

constexpr std::size_t kFewestModels = 4;
constexpr std::size_t kMostGroups = 40;  // a tau of M models costs M^2

const ScoreColumn* find_column(const ComparedDataset& dataset, const std::string& name) {
  for (const std::vector<ScoreColumn>* side : {&dataset.scores, &dataset.truth.baselines}) {
    const auto column = std::ranges::find(*side, name, &ScoreColumn::name);
    if (column != side->end()) return &*column;
  }
  return nullptr;
}

// Two columns and the truth on the models that all three know, turned so that higher is better.
struct Side {
  std::vector<double> first, second, truth;
};

Side models_in_common(const ComparedDataset& dataset, const ScoreColumn& first,
                      const ScoreColumn& second) {
  Side side;
  for (const auto& [name, measured] : dataset.truth.values) {
    const auto a = first.values.find(name);
    const auto b = second.values.find(name);
    if (a == first.values.end() || b == second.values.end()) continue;
    if (!std::isfinite(measured) || std::isnan(a->second) || std::isnan(b->second)) continue;
    side.first.push_back(first.higher_is_better ? a->second : -a->second);
    side.second.push_back(second.higher_is_better ? b->second : -b->second);
    side.truth.push_back(dataset.truth.higher_is_better ? measured : -measured);
  }
  return side;
}

std::vector<double> without(const std::vector<double>& values, std::size_t group,
                            std::size_t groups) {
  std::vector<double> rest;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % groups != group) rest.push_back(values[i]);
  return rest;
}

// tau(first) - tau(second), or tau(first) when there is nothing to subtract.
std::optional<double> tau_difference(const Side& side, bool subtract) {
  const std::optional<double> first = weighted_kendall_tau(side.first, side.truth);
  if (!subtract || !first) return first;
  const std::optional<double> second = weighted_kendall_tau(side.second, side.truth);
  return second ? std::optional(*first - *second) : std::nullopt;
}

TauEstimate with_interval(double value, double standard_error, double units, double level) {
  const double half = student_t_factor(level, units - 1.0) * standard_error;
  return {value, value - half, value + half};
}

std::optional<TauEstimate> over_models(const Side& side, bool subtract, double level) {
  const std::optional<double> full = tau_difference(side, subtract);
  if (!full) return {};
  const std::size_t count = side.truth.size();
  if (count < kFewestModels) return TauEstimate{*full, {}, {}};
  const std::size_t groups = std::min(count, kMostGroups);
  std::vector<double> replicates;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto rest = [&](const std::vector<double>& values) { return without(values, g, groups); };
    const std::optional<double> one =
        tau_difference({rest(side.first), rest(side.second), rest(side.truth)}, subtract);
    if (!one) return TauEstimate{*full, {}, {}};
    replicates.push_back(*one);
  }
  const double spread = jackknife_standard_error(*full, replicates);
  return with_interval(*full, std::hypot(spread, 1.0 / static_cast<double>(count)),
                       static_cast<double>(groups), level);
}

std::optional<TauEstimate> over_datasets(const std::vector<double>& values, double level) {
  if (values.empty()) return {};
  const auto units = static_cast<double>(values.size());
  double mean = 0.0;
  for (const double value : values) mean += value / units;
  if (values.size() < 2) return TauEstimate{mean, {}, {}};
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return with_interval(mean, std::sqrt(squares / (units - 1.0) / units), units, level);
}

std::optional<TauEstimate> estimate(const std::vector<ComparedDataset>& datasets,
                                    const std::string& first, const std::string& second,
                                    double level) {
  const bool subtract = first != second;
  std::vector<double> values;
  for (const ComparedDataset& dataset : datasets) {
    const ScoreColumn* a = find_column(dataset, first);
    const ScoreColumn* b = find_column(dataset, second);
    if (a == nullptr || b == nullptr) continue;
    const Side side = models_in_common(dataset, *a, *b);
    if (datasets.size() == 1) return over_models(side, subtract, level);
    if (const std::optional<double> one = tau_difference(side, subtract)) values.push_back(*one);
  }
  return over_datasets(values, level);
}

bool is_above_zero(const std::optional<TauEstimate>& difference) {
  return difference && difference->low && *difference->low > 0.0;
}

std::vector<const MeanQuality*> ordered(const ManyEvaluation& result, bool baseline) {
  std::vector<const MeanQuality*> rows;
  for (const MeanQuality& row : result.metrics)
    if (row.baseline == baseline && row.weighted_kendall) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::greater{},
                           [](const MeanQuality* row) { return *row->weighted_kendall; });
  return rows;
}

}  // namespace

std::optional<LeadingMetric> leading_metric(const std::vector<ComparedDataset>& datasets,
                                            const ManyEvaluation& result, double level) {
  const std::vector<const MeanQuality*> metrics = ordered(result, false);
  const std::vector<const MeanQuality*> baselines = ordered(result, true);
  if (metrics.empty()) return {};
  LeadingMetric lead{.name = metrics.front()->metric, .tau = {*metrics.front()->weighted_kendall}};
  if (const auto own = estimate(datasets, lead.name, lead.name, level)) {
    lead.tau.low = own->low ? std::optional(std::max(-1.0, *own->low)) : std::nullopt;
    lead.tau.high = own->high ? std::optional(std::min(1.0, *own->high)) : std::nullopt;
  }
  const std::size_t tests = metrics.size() - 1 + (baselines.empty() ? 0 : 1);
  const double each = 1.0 - (1.0 - level) / static_cast<double>(std::max<std::size_t>(1, tests));
  for (std::size_t k = 1; k < metrics.size(); ++k) {
    if (!is_above_zero(estimate(datasets, lead.name, metrics[k]->metric, each)))
      lead.not_separable.push_back(metrics[k]->metric);
  }
  if (baselines.empty()) return lead;
  lead.baseline = baselines.front()->metric;
  lead.baseline_tau = baselines.front()->weighted_kendall;
  lead.beats_baseline = is_above_zero(estimate(datasets, lead.name, lead.baseline, each));
  return lead;
}

}  // namespace assay
