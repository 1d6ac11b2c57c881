#include "evaluate/evaluate_datasets_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "evaluate/evaluate_report.h"
#include "evaluate/quality_cells.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

bool is_one(const EvaluationReport& report) { return report.result.datasets.size() == 1; }

std::string plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string mean_table(const std::vector<MeanQuality>& rows, const std::string& truth_column,
                       const Screen& screen) {
  TextTable table;
  add_measure_columns(table, truth_column, screen);
  table.add_column("data sets", Align::right);
  for (const MeanQuality& row : rows) {
    std::vector<std::string> cells = measure_cells(row, screen);
    cells.push_back(std::to_string(row.datasets));
    table.add_row(std::move(cells), tone_of(row));
  }
  return table.str(screen);
}

// A data set per row: they are often more than the metrics, and have longer names.
std::string dataset_table(const ManyEvaluation& result, const Screen& screen) {
  TextTable table;
  table.add_column("weighted tau ↑", Align::left, Keep::always);
  for (const MeanQuality& row : result.metrics) table.add_column(row_title(row), Align::right);
  table.add_column("models", Align::right);
  for (const auto& [name, evaluation] : result.datasets) {
    std::vector<std::string> cells = {name};
    for (const MeanQuality& mean : result.metrics) {
      const auto row = std::ranges::find(evaluation.metrics, mean.metric, &MetricQuality::metric);
      cells.push_back(
          row == evaluation.metrics.end() ? "-" : measure_cell(row->weighted_kendall, "{:.3f}"));
    }
    cells.push_back(std::to_string(evaluation.models));
    table.add_row(std::move(cells));
  }
  return table.str(screen);
}

std::string group_text(const GroupEvaluation& group, const EvaluationReport& report,
                       const Screen& screen) {
  return fmt::format("\n{} = {}: {} of {}\n{}", report.group_column, group.value,
                     plural(static_cast<std::size_t>(group.models), "model"),
                     plural(group.datasets.size(), "data set"),
                     mean_table(group.metrics, report.truth_column, screen));
}

Json means_json(const std::vector<MeanQuality>& rows) {
  Json json = Json::object();
  for (const MeanQuality& row : rows) {
    json[row.metric] = measures_json(row);
    json[row.metric]["datasets"] = row.datasets;
    json[row.metric]["correlated_datasets"] = row.correlated;
  }
  return json;
}

Json datasets_json(const EvaluationReport& report) {
  Json json = Json::object();
  for (const auto& [name, evaluation] : report.result.datasets) {
    json[name] = evaluation_json(evaluation, report.truth_column);
    json[name].erase("truth_column");
    const auto compared =
        std::ranges::find(report.comparison.datasets, name, &ComparedDataset::name);
    if (compared != report.comparison.datasets.end())
      add_evaluated_models(json[name], compared->scores, compared->truth);
  }
  return json;
}

std::vector<std::string> with_dataset(const ManyEvaluation& result,
                                      std::vector<std::string> Evaluation::*names) {
  std::vector<std::string> all;
  for (const auto& [dataset, evaluation] : result.datasets) {
    for (const std::string& name : evaluation.*names) {
      all.push_back(fmt::format("{}/{}", dataset, name));
    }
  }
  return all;
}

Json several_json(const EvaluationReport& report) {
  return {{"truth_column", report.truth_column},
          {"metrics", means_json(report.result.metrics)},
          {"only_in_scores", with_dataset(report.result, &Evaluation::only_in_scores)},
          {"only_in_truth", with_dataset(report.result, &Evaluation::only_in_truth)}};
}

void add_groups(Json& json, const EvaluationReport& report) {
  json["group_column"] = report.group_column;
  json["groups"] = Json::object();
  for (const GroupEvaluation& group : report.result.groups) {
    json["groups"][group.value] = {{"metrics", means_json(group.metrics)},
                                   {"datasets", group.datasets},
                                   {"models", group.models}};
  }
  json["groups_skipped"] = Json::array();
  for (const SkippedGroup& skipped : report.result.skipped) {
    json["groups_skipped"].push_back(
        {{"group", skipped.value}, {"dataset", skipped.dataset}, {"models", skipped.models}});
  }
}

// "a, b, c and 9 more"
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

void add_left_out(std::vector<std::string>& notes, const std::string& what,
                  const std::vector<std::string>& names) {
  if (!names.empty()) notes.push_back(fmt::format("{} {}; left out", what, list_of(names)));
}

void add_unmatched(std::vector<std::string>& notes, const EvaluationReport& report) {
  add_left_out(notes, "no truth for data set", report.comparison.only_in_scores);
  add_left_out(notes, "no scores for data set", report.comparison.only_in_truth);
  for (const auto& [name, evaluation] : report.result.datasets) {
    for (std::string& note : unmatched_notes(evaluation, is_one(report) ? "" : name + ": "))
      notes.push_back(std::move(note));
  }
}

void add_missing_cells(std::vector<std::string>& notes, const EvaluationReport& report) {
  const auto add_missing = [&](const std::string& row, const std::vector<std::string>& models) {
    if (models.empty()) return;
    notes.push_back(
        fmt::format("{} has no value for {}; left out of its row", row, list_of(models)));
  };
  if (is_one(report)) {
    for (const MetricQuality& row : report.result.datasets.front().evaluation.metrics) {
      add_missing(row.metric, row.missing);
    }
    return;
  }
  for (const MeanQuality& row : report.result.metrics) {
    add_missing(row.metric, row.missing);
    const std::size_t all = report.result.datasets.size();
    if (static_cast<std::size_t>(row.correlated) < all) {
      notes.push_back(
          fmt::format("{}: correlations exist on {} of {} data sets, the means are over "
                      "those; compare rows with equal counts",
                      row.metric, row.correlated, all));
    }
  }
}

void add_left_out_of_groups(std::vector<std::string>& notes, const EvaluationReport& report) {
  const ManyEvaluation& result = report.result;
  std::vector<std::string> small;
  for (const SkippedGroup& group : result.skipped) {
    const std::string where = is_one(report) ? "" : fmt::format(" of {}", group.dataset);
    small.push_back(fmt::format("{}{} ({})", group.value, where, group.models));
  }
  if (!small.empty()) {
    notes.push_back(fmt::format("groups by {}: fewer than {} models to compare in {}; left out",
                                report.group_column, kSmallestGroup, list_of(small)));
  }
  if (!result.ungrouped.empty()) {
    notes.push_back(fmt::format("groups by {}: blank for {}; left out", report.group_column,
                                list_of(result.ungrouped)));
  }
  if (result.groups.empty())
    notes.push_back(fmt::format("groups by {}: none is left", report.group_column));
}

}  // namespace

std::string evaluation_text(const EvaluationReport& report, const Screen& screen) {
  const ManyEvaluation& result = report.result;
  std::string text;
  if (is_one(report)) {
    text = evaluation_table(result.datasets.front().evaluation, report.truth_column, screen);
  } else {
    text = fmt::format("mean over {}\n{}\n{}", plural(result.datasets.size(), "data set"),
                       mean_table(result.metrics, report.truth_column, screen),
                       dataset_table(result, screen));
  }
  for (const GroupEvaluation& group : result.groups) text += group_text(group, report, screen);
  return text;
}

Json evaluation_json(const EvaluationReport& report) {
  Json json = is_one(report)
                  ? evaluation_json(report.result.datasets.front().evaluation, report.truth_column)
                  : several_json(report);
  json["datasets_only_in_scores"] = report.comparison.only_in_scores;
  json["datasets_only_in_truth"] = report.comparison.only_in_truth;
  json["datasets"] = datasets_json(report);
  if (is_one(report)) json["metrics"] = json["datasets"].front().at("metrics");
  if (!report.group_column.empty()) add_groups(json, report);
  return json;
}

std::vector<std::string> evaluation_notes(const EvaluationReport& report) {
  std::vector<std::string> notes;
  add_unmatched(notes, report);
  add_missing_cells(notes, report);
  if (!report.group_column.empty()) add_left_out_of_groups(notes, report);
  return notes;
}

std::vector<std::string> unmatched_notes(const Evaluation& evaluation, const std::string& where) {
  std::vector<std::string> notes;
  add_left_out(notes, where + "no truth for", evaluation.only_in_scores);
  add_left_out(notes, where + "no scores for", evaluation.only_in_truth);
  return notes;
}

}  // namespace assay
