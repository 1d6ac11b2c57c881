#include "assay/report/evaluate_report.h"

#include "quality_cells.h"

namespace assay {

using Json = nlohmann::ordered_json;

std::string evaluation_table(const Evaluation& evaluation, const std::string& truth_column) {
  TextTable table;
  add_measure_columns(table, truth_column);
  for (const MetricQuality& row : evaluation.metrics) table.add_row(measure_cells(row));
  return table.str();
}

Json evaluation_json(const Evaluation& evaluation, const std::string& truth_column) {
  Json json;
  json["truth_column"] = truth_column;
  json["metrics"] = Json::object();
  for (const MetricQuality& row : evaluation.metrics) {
    json["metrics"][row.metric] = measures_json(row);
  }
  json["only_in_scores"] = evaluation.only_in_scores;
  json["only_in_truth"] = evaluation.only_in_truth;
  return json;
}

}  // namespace assay
