#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "assay/evaluate.h"

namespace assay {
namespace {

struct Measure {
  std::optional<double> MetricQuality::*one;
  std::optional<double> MeanQuality::*mean;
};

constexpr std::array<Measure, 8> kMeasures = {{
    {&MetricQuality::kendall, &MeanQuality::kendall},
    {&MetricQuality::weighted_kendall, &MeanQuality::weighted_kendall},
    {&MetricQuality::pearson, &MeanQuality::pearson},
    {&MetricQuality::spearman, &MeanQuality::spearman},
    {&MetricQuality::agreement, &MeanQuality::agreement},
    {&MetricQuality::top3, &MeanQuality::top3},
    {&MetricQuality::regret1, &MeanQuality::regret1},
    {&MetricQuality::regret3, &MeanQuality::regret3},
}};

using Qualities = std::vector<const MetricQuality*>;

template <typename T>
std::optional<double> mean_of(const Qualities& rows, std::optional<T> MetricQuality::*measure) {
  double sum = 0.0;
  Index count = 0;
  for (const MetricQuality* row : rows) {
    const std::optional<T>& value = row->*measure;
    if (!value) continue;
    sum += static_cast<double>(*value);
    ++count;
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

const MetricQuality* find_row(const Evaluation& evaluation, const std::string& metric) {
  const auto row = std::ranges::find(evaluation.metrics, metric, &MetricQuality::metric);
  return row == evaluation.metrics.end() ? nullptr : &*row;
}

MeanQuality mean_row(std::span<const DatasetEvaluation> datasets, const std::string& metric,
                     bool baseline) {
  MeanQuality mean{.metric = metric, .baseline = baseline};
  Qualities rows;
  for (const auto& [name, evaluation] : datasets) {
    const MetricQuality* row = find_row(evaluation, metric);
    if (!row) continue;
    rows.push_back(row);
    mean.models += row->models;
    if (row->top1) ++mean.datasets;
    if (row->kendall) ++mean.correlated;
    for (const std::string& model : row->missing) {
      mean.missing.push_back(fmt::format("{}/{}", name, model));
    }
  }
  for (const Measure& measure : kMeasures) mean.*measure.mean = mean_of(rows, measure.one);
  mean.top1 = mean_of(rows, &MetricQuality::top1);
  return mean;
}

}  // namespace

std::vector<MeanQuality> mean_quality(std::span<const DatasetEvaluation> datasets) {
  std::vector<MeanQuality> means;
  std::set<std::string> seen;
  // A name that is a metric's on any data set is a metric's.
  for (const bool baseline : {false, true}) {
    for (const DatasetEvaluation& dataset : datasets) {
      for (const MetricQuality& row : dataset.evaluation.metrics) {
        if (row.baseline != baseline || !seen.insert(row.metric).second) continue;
        means.push_back(mean_row(datasets, row.metric, baseline));
      }
    }
  }
  return means;
}

}  // namespace assay
