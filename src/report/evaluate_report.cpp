#include "assay/report/evaluate_report.h"

#include "quality_cells.h"

namespace assay {

std::string evaluation_table(const Evaluation& evaluation, const std::string& truth_column) {
  TextTable table;
  add_measure_columns(table, truth_column);
  for (const MetricQuality& row : evaluation.metrics) table.add_row(measure_cells(row));
  return table.str();
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

}  // namespace assay
