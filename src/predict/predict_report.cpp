#include "predict/predict_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/csv_cell.h"
#include "report/json_values.h"
#include "report/table.h"

namespace assay {
namespace {

std::string sd_text(const PredictResult& result, Index row, Index c, const char* unknown) {
  const double variance = result.prediction.variance(row, c);
  return std::isnan(variance) ? unknown : fmt::format("{:.4f}", std::sqrt(variance));
}

nlohmann::ordered_json numbers_or_null(const Vector& values) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const double value : values)
    out.push_back(std::isnan(value) ? nlohmann::ordered_json(nullptr)
                                    : nlohmann::ordered_json(value));
  return out;
}

std::string anchor_text(const PredictResult& result, const Anchor& anchor) {
  return result.words.empty() ? std::to_string(anchor.row)
                              : result.words[static_cast<std::size_t>(anchor.row)];
}

// Classes: the likeliest one with its mean and spread; otherwise every column.
std::vector<Index> shown_columns(const PredictResult& result, Index row) {
  if (!result.best.empty()) return {result.best[static_cast<std::size_t>(row)]};
  std::vector<Index> all;
  for (Index c = 0; c < result.prediction.mean.cols(); ++c) all.push_back(c);
  return all;
}

std::string quality_name(TargetKind kind) {
  if (kind == TargetKind::classes) return "accuracy";
  return kind == TargetKind::multi_label ? "average_precision" : "r2";
}

}  // namespace

std::string quality_text(const PredictResult& result) {
  const PredictionQuality& quality = *result.quality;
  const std::string rows = fmt::format("{} rows", quality.rows);
  if (result.kind == TargetKind::classes) {
    return fmt::format("accuracy {:.4f} ±{:.4f} (s.e.) on {}; the most frequent class has {:.4f}",
                       quality.value, *quality.standard_error, rows, quality.chance);
  }
  if (result.kind == TargetKind::multi_label)
    return fmt::format("mean average precision {:.4f} on {}; guessing has {:.4f}", quality.value,
                       rows, quality.chance);
  return fmt::format("R2 {:.4f} on {}; 0 is the mean of these rows", quality.value, rows);
}

std::vector<std::string> predict_notes(const PredictResult& result) {
  const std::pair<const char*, const char*> meanings[] = {
      {"uninformative",
       "the features say nothing about it; its mean and sd are those of the labels "
       "alone"},
      {"interpolates", "the features fit any labels of these rows; the sd is that of the limit"},
      {"exact_fit",
       "it is a linear function of the features; the noise is a floor, not an estimate"},
      {"constant", "it did not vary; it is predicted as it was, with no sd"}};
  std::vector<std::string> out;
  for (const auto& [flag, meaning] : meanings) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < result.flags.size(); ++c)
      if (result.flags[c] == flag) names.push_back(result.columns[c]);
    if (names.empty()) continue;
    constexpr std::size_t shown = 5;
    const std::size_t all = names.size();
    names.resize(std::min(all, shown));
    out.push_back(fmt::format("{}{}: {}: {}", fmt::join(names, ", "),
                              all > shown ? fmt::format(" and {} more", all - shown) : "", flag,
                              meaning));
  }
  return out;
}

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
                     sd_text(result, row, c, "-")});
    }
  }
  return table.str(screen);
}

std::string anchors_table(const PredictResult& result) {
  TextTable table;
  table.add_column(result.best.empty() ? "target" : "class", Align::left);
  table.add_column(
      result.words.empty() ? "nearest rows of the vocabulary (cosine)" : "nearest words (cosine)",
      Align::left);
  for (std::size_t c = 0; c < result.anchors.size(); ++c) {
    std::string cell;
    for (const Anchor& anchor : result.anchors[c])
      cell += fmt::format("{}{} ({:.3f})", cell.empty() ? "" : ", ", anchor_text(result, anchor),
                          anchor.cosine);
    table.add_row({result.columns[c], cell.empty() ? "-" : cell});
  }
  return table.str();
}

std::string predictions_csv(const PredictResult& result) {
  std::string text = "row,column,mean,sd\n";
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    for (const Index c : shown_columns(result, row)) {
      const double variance = result.prediction.variance(row, c);
      text +=
          fmt::format("{},{},{},{}\n", row, csv_cell(result.columns[static_cast<std::size_t>(c)]),
                      result.prediction.mean(row, c),
                      std::isnan(variance) ? "" : fmt::format("{}", std::sqrt(variance)));
    }
  }
  return text;
}

nlohmann::ordered_json predictions_json(const PredictResult& result) {
  nlohmann::ordered_json json;
  json["columns"] = result.columns;
  json["flags"] = nlohmann::ordered_json::array();
  for (const std::string& flag : result.flags)
    json["flags"].push_back(flag.empty() ? nlohmann::ordered_json(nullptr)
                                         : nlohmann::ordered_json(flag));
  json["centered"] = result.centered;
  if (result.quality) {
    json["quality"] = {{"quantity", quality_name(result.kind)},
                       {"value", result.quality->value},
                       {"standard_error", or_null(result.quality->standard_error)},
                       {"chance", result.quality->chance},
                       {"rows", result.quality->rows}};
  }
  json["notes"] = predict_notes(result);
  json["predictions"] = nlohmann::ordered_json::array();
  for (Index row = 0; row < result.prediction.mean.rows(); ++row) {
    nlohmann::ordered_json entry = {{"row", row}};
    if (!result.best.empty()) {
      entry["class"] =
          result.columns[static_cast<std::size_t>(result.best[static_cast<std::size_t>(row)])];
    }
    const Vector mean = result.prediction.mean.row(row);
    entry["mean"] = std::vector<double>(mean.begin(), mean.end());
    entry["variance"] = numbers_or_null(result.prediction.variance.row(row));
    json["predictions"].push_back(std::move(entry));
  }
  if (result.anchors.empty()) return json;
  json["anchors"] = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < result.anchors.size(); ++c) {
    nlohmann::ordered_json nearest = nlohmann::ordered_json::array();
    for (const Anchor& anchor : result.anchors[c]) {
      nearest.push_back({{"row", anchor.row}, {"cosine", anchor.cosine}});
      if (!result.words.empty()) nearest.back()["word"] = anchor_text(result, anchor);
    }
    json["anchors"].push_back({{"column", result.columns[c]}, {"nearest", nearest}});
  }
  return json;
}

}  // namespace assay
