#include "predict/predict_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/csv_cell.h"
#include "report/table.h"

namespace assay {
namespace {

// Classes: the likeliest one with its mean and spread; otherwise every column.
std::vector<Index> shown_columns(const PredictResult& result, Index row) {
  if (!result.best.empty()) return {result.best[static_cast<std::size_t>(row)]};
  std::vector<Index> all;
  for (Index c = 0; c < result.prediction.mean.cols(); ++c) all.push_back(c);
  return all;
}

}  // namespace

std::string predictions_table(const PredictResult& result, Index rows, const Screen& screen) {
  TextTable table;
  table.add_column("row", Align::right);
  table.add_column(result.best.empty() ? "target" : "class", Align::left);
  table.add_column("mean", Align::right);
  table.add_column("sd", Align::right);
  const Index all = result.prediction.mean.rows();
  for (Index row = 0; row < std::min(all, rows); ++row) {
    for (const Index c : shown_columns(result, row)) {
      table.add_row({std::to_string(row), result.columns[static_cast<std::size_t>(c)],
                     fmt::format("{:.4f}", result.prediction.mean(row, c)),
                     fmt::format("{:.4f}", std::sqrt(result.prediction.variance(row, c)))});
    }
  }
  return table.str(screen);
}

std::string anchors_table(const PredictResult& result) {
  TextTable table;
  table.add_column(result.best.empty() ? "target" : "class", Align::left);
  table.add_column("nearest rows of the vocabulary (cosine)", Align::left);
  for (std::size_t c = 0; c < result.anchors.size(); ++c) {
    std::string cell;
    for (const Anchor& anchor : result.anchors[c])
      cell += fmt::format("{}{} ({:.3f})", cell.empty() ? "" : ", ", anchor.row, anchor.cosine);
    table.add_row({result.columns[c], cell.empty() ? "-" : cell});
  }
  return table.str();
}

std::string predictions_csv(const PredictResult& result) {
  std::string text = "row,column,mean,sd\n";
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    for (const Index c : shown_columns(result, row)) {
      text += fmt::format(
          "{},{},{},{}\n", row, csv_cell(result.columns[static_cast<std::size_t>(c)]),
          result.prediction.mean(row, c), std::sqrt(result.prediction.variance(row, c)));
    }
  }
  return text;
}

nlohmann::ordered_json predictions_json(const PredictResult& result) {
  nlohmann::ordered_json json;
  json["columns"] = result.columns;
  json["predictions"] = nlohmann::ordered_json::array();
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    nlohmann::ordered_json entry = {{"row", row}};
    if (!result.best.empty()) {
      entry["class"] =
          result.columns[static_cast<std::size_t>(result.best[static_cast<std::size_t>(row)])];
    }
    const Vector mean = result.prediction.mean.row(row);
    const Vector variance = result.prediction.variance.row(row);
    entry["mean"] = std::vector<double>(mean.begin(), mean.end());
    entry["variance"] = std::vector<double>(variance.begin(), variance.end());
    json["predictions"].push_back(std::move(entry));
  }
  if (result.anchors.empty()) return json;
  json["anchors"] = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < result.anchors.size(); ++c) {
    nlohmann::ordered_json nearest = nlohmann::ordered_json::array();
    for (const Anchor& anchor : result.anchors[c])
      nearest.push_back({{"row", anchor.row}, {"cosine", anchor.cosine}});
    json["anchors"].push_back({{"column", result.columns[c]}, {"nearest", nearest}});
  }
  return json;
}

}  // namespace assay
