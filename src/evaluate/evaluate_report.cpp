#include "evaluate/evaluate_report.h"

#include <cmath>
#include <utility>

#include "evaluate/quality_cells.h"

namespace assay {

std::string evaluation_table(const Evaluation& evaluation, const std::string& truth_column,
                             const Screen& screen) {
  TextTable table;
  add_measure_columns(table, truth_column, screen);
  for (const MetricQuality& row : evaluation.metrics)
    table.add_row(measure_cells(row, screen), tone_of(row));
  return table.str(screen);
}

nlohmann::ordered_json evaluation_json(const Evaluation& evaluation,
                                       const std::string& truth_column) {
  nlohmann::ordered_json json;
  json["truth_column"] = truth_column;
  json["metrics"] = nlohmann::ordered_json::object();
  for (const MetricQuality& row : evaluation.metrics) {
    json["metrics"][row.metric] = measures_json(row);
  }
  json["only_in_scores"] = evaluation.only_in_scores;
  json["only_in_truth"] = evaluation.only_in_truth;
  return json;
}

void add_evaluated_models(nlohmann::ordered_json& json, const std::vector<ScoreColumn>& scores,
                          const Truth& truth) {
  std::vector<const ScoreColumn*> columns;
  for (const std::vector<ScoreColumn>* side : {&scores, &truth.baselines}) {
    for (const ScoreColumn& column : *side) {
      if (!json["metrics"].contains(column.name)) continue;
      json["metrics"][column.name]["direction"] = column.higher_is_better ? "higher" : "lower";
      columns.push_back(&column);
    }
  }
  json["truth_direction"] = truth.higher_is_better ? "higher" : "lower";
  json["models"] = nlohmann::ordered_json::array();
  for (const auto& [name, measured] : truth.values) {
    nlohmann::ordered_json known = nlohmann::ordered_json::object();
    for (const ScoreColumn* column : columns) {
      const auto value = column->values.find(name);
      if (value != column->values.end() && std::isfinite(value->second))
        known[column->name] = value->second;
    }
    if (known.empty() || !std::isfinite(measured)) continue;
    json["models"].push_back({{"name", name}, {"truth", measured}, {"scores", std::move(known)}});
  }
}

}  // namespace assay
