#include "assay/report/evaluate_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "assay/report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

template <typename T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string evaluation_table(const Evaluation& evaluation, const std::string& truth_column) {
  TextTable table;
  table.add_column("metric", Align::left);
  for (const char* title : {"weighted tau ↑", "Kendall tau ↑", "pairs right ↑", "Pearson ↑",
                            "Spearman ↑", "top-1", "top-3 ↑"}) {
    table.add_column(title, Align::right);
  }
  table.add_column(fmt::format("regret@1 ↓ ({})", truth_column), Align::right);
  table.add_column("regret@3 ↓", Align::right);
  table.add_column("models", Align::right);
  for (const MetricQuality& row : evaluation.metrics) {
    table.add_row({row.metric + (row.baseline ? " (static)" : ""),
                   cell(row.weighted_kendall, "{:.3f}"), cell(row.kendall, "{:.3f}"),
                   row.agreement ? fmt::format("{:.0f} %", 100.0 * *row.agreement) : "-",
                   cell(row.pearson, "{:.3f}"), cell(row.spearman, "{:.3f}"),
                   row.top1 ? (*row.top1 ? "yes" : "no") : "-", cell(row.top3, "{:.2f}"),
                   cell(row.regret1, "{:.4f}"), cell(row.regret3, "{:.4f}"),
                   std::to_string(row.models)});
  }
  return table.str();
}

Json evaluation_json(const Evaluation& evaluation, const std::string& truth_column) {
  Json json;
  json["truth_column"] = truth_column;
  json["metrics"] = Json::object();
  for (const MetricQuality& row : evaluation.metrics) {
    json["metrics"][row.metric] = {{"kendall", value_or_null(row.kendall)},
                                   {"weighted_kendall", value_or_null(row.weighted_kendall)},
                                   {"pearson", value_or_null(row.pearson)},
                                   {"spearman", value_or_null(row.spearman)},
                                   {"agreement", value_or_null(row.agreement)},
                                   {"top1", value_or_null(row.top1)},
                                   {"top3", value_or_null(row.top3)},
                                   {"regret1", value_or_null(row.regret1)},
                                   {"regret3", value_or_null(row.regret3)},
                                   {"models", row.models},
                                   {"static", row.baseline},
                                   {"missing", row.missing}};
  }
  json["only_in_scores"] = evaluation.only_in_scores;
  json["only_in_truth"] = evaluation.only_in_truth;
  return json;
}

}  // namespace assay
