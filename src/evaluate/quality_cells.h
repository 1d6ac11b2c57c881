#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/table.h"

namespace assay {

// The measures of one row of an evaluation, of one data set (MetricQuality) or averaged
// over several (MeanQuality): the same names and columns for both.

inline std::string measure_cell(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

inline std::string percent_cell(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100.0 * *share) : "-";
}

inline std::string top1_cell(const std::optional<bool>& hit) {
  return hit ? (*hit ? "yes" : "no") : "-";
}
inline std::string top1_cell(const std::optional<double>& share) { return percent_cell(share); }

inline void add_measure_columns(TextTable& table, const std::string& truth_column,
                                const Screen& screen) {
  table.add_column("metric", Align::left, Keep::always);
  table.add_column("weighted tau ↑", Align::right, Keep::always);
  if (screen.bars) table.add_column("", Align::left, Keep::last_resort);
  for (const char* title :
       {"Kendall tau ↑", "pairs right ↑", "Pearson ↑", "Spearman ↑", "top-1", "top-3 ↑"}) {
    table.add_column(title, Align::right);
  }
  table.add_column(fmt::format("regret@1 ↓ ({})", truth_column), Align::right, Keep::first);
  table.add_column("regret@3 ↓", Align::right);
  table.add_column("models", Align::right);
}

template <typename Row>
std::string row_title(const Row& row) {
  return row.metric + (row.baseline ? " (static)" : "");
}

template <typename Row>
std::vector<std::string> measure_cells(const Row& row, const Screen& screen) {
  constexpr int bar_width = 12;
  std::vector<std::string> cells = {row_title(row), measure_cell(row.weighted_kendall, "{:.3f}")};
  if (screen.bars) cells.push_back(share_bar(row.weighted_kendall.value_or(0.0), bar_width));
  for (std::string& cell : std::vector<std::string>{
           measure_cell(row.kendall, "{:.3f}"), percent_cell(row.agreement),
           measure_cell(row.pearson, "{:.3f}"), measure_cell(row.spearman, "{:.3f}"),
           top1_cell(row.top1), measure_cell(row.top3, "{:.2f}"),
           measure_cell(row.regret1, "{:.4f}"), measure_cell(row.regret3, "{:.4f}"),
           std::to_string(row.models)}) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

// Static columns know nothing of the data: there to be beaten.
template <typename Row>
Tone tone_of(const Row& row) {
  return row.baseline ? Tone::faint : Tone::plain;
}

template <typename T>
nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

template <typename Row>
nlohmann::ordered_json measures_json(const Row& row) {
  return {{"kendall", value_or_null(row.kendall)},
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

}  // namespace assay
