#include "evaluate/evaluate_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "evaluate/leading_metric.h"
#include "report/json_values.h"

namespace assay {
namespace {

const MeanQuality& row_of(const EvaluationReport& report, const std::string& metric) {
  return *std::ranges::find(report.result.metrics, metric, &MeanQuality::metric);
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.size() <= most) return listed(names);
  return fmt::format("{}, {} and {} others", names[0], names[1], names.size() - 2);
}

std::string tau_text(const TauEstimate& tau) {
  if (!tau.low || !tau.high)
    return fmt::format("{:.3f}, from too few models for an interval", tau.value);
  return fmt::format("{:.3f}, 95 % interval {:.3f} to {:.3f}", tau.value, *tau.low, *tau.high);
}

std::string choice_text(const MeanQuality& row) {
  std::string text;
  if (row.agreement)
    text +=
        fmt::format(" It puts {:.0f} % of the pairs in the right order", 100.0 * *row.agreement);
  if (row.agreement && row.regret1)
    text += fmt::format("; taking its first choice loses {:.4f}", *row.regret1);
  return text.empty() ? text : text + ".";
}

std::string baseline_text(const LeadingMetric& lead) {
  if (lead.baseline.empty()) return "";
  return fmt::format(
      " The best static column, {}, has {:.3f}: {}.", lead.baseline, *lead.baseline_tau,
      lead.beats_baseline ? "less, and the difference is real" : "the difference could be chance");
}

}  // namespace

std::string evaluation_verdict(const EvaluationReport& report) {
  const auto lead = leading_metric(report.comparison.datasets, report.result);
  if (!lead) return "Nothing to compare: fewer than two models have both a score and a truth.";
  const MeanQuality& row = row_of(report, lead->name);
  const std::size_t sets = report.result.datasets.size();
  const std::string over =
      sets > 1 ? fmt::format("{} data sets", sets) : fmt::format("{} models", row.models);
  const std::string numbers = fmt::format("weighted tau {}, over {}", tau_text(lead->tau), over);
  const std::string tail = choice_text(row) + baseline_text(*lead);
  if (!lead->not_separable.empty()) {
    return fmt::format(
        "{} has the highest agreement with the measured {} but is not separable from {}: {}.{}",
        lead->name, report.truth_column, some_of(lead->not_separable), numbers, tail);
  }
  const bool alone = std::ranges::count(report.result.metrics, false, &MeanQuality::baseline) < 2;
  return fmt::format("{} predicted the measured {}{}: {}.{}", lead->name, report.truth_column,
                     alone ? "" : " best, ahead of every other metric at 95 % confidence", numbers,
                     tail);
}

nlohmann::ordered_json leading_metric_json(const EvaluationReport& report) {
  const auto lead = leading_metric(report.comparison.datasets, report.result);
  if (!lead) return nullptr;
  nlohmann::ordered_json json = {{"metric", lead->name},
                                 {"weighted_kendall", lead->tau.value},
                                 {"low", or_null(lead->tau.low)},
                                 {"high", or_null(lead->tau.high)},
                                 {"not_separable_from", lead->not_separable}};
  if (!lead->baseline.empty())
    json["static"] = {{"column", lead->baseline},
                      {"weighted_kendall", or_null(lead->baseline_tau)},
                      {"beaten", lead->beats_baseline}};
  return json;
}

nlohmann::ordered_json evaluation_with_verdict_json(const EvaluationReport& report) {
  nlohmann::ordered_json json = {{"command", "evaluate"},
                                 {"verdict", evaluation_verdict(report)},
                                 {"best", leading_metric_json(report)}};
  json.update(evaluation_json(report));
  return json;
}

}  // namespace assay
