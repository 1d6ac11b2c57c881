#include "evaluate/score_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "assay/error.h"
#include "assay/metric.h"
#include "core/text.h"
#include "evaluate/model_table.h"
#include "evaluate/score_json.h"
#include "io/csv.h"
#include "io/mapped_file.h"

namespace assay {
namespace {

using Names = std::span<const std::string>;

bool contains(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string read_text(const std::filesystem::path& path) {
  return std::string(MappedFile::open(path)->text());
}

// What `assay rank --csv` writes beside its scores: places, sizes, costs and ends of intervals.
bool is_of_rank_csv(const ModelTable& table, const std::string& title) {
  constexpr std::array<std::string_view, 10> beside = {
      "rank", "rank_low", "rank_high",  "tie_group",  "n",
      "dim",  "params",   "latency_ms", "size_bytes", "pareto"};
  if (!table.find("rank_low") || !table.find("tie_group")) return false;
  if (std::ranges::find(beside, title) != beside.end()) return true;
  for (const std::string_view end : {"_low", "_high"}) {
    if (title.ends_with(end) && table.find(title.substr(0, title.size() - end.size()))) return true;
  }
  return false;
}

std::vector<std::size_t> metric_columns(const ModelTable& table, const ScoreFileOptions& options) {
  constexpr std::array<std::string_view, 5> not_metrics = {"", "name", "dataset", "group", "dim"};
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < table.csv.header.size(); ++column) {
    const std::string& title = table.csv.header[column];
    if (std::ranges::find(not_metrics, title) != not_metrics.end()) continue;
    if (is_of_rank_csv(table, title)) continue;
    if (title != options.group_column) columns.push_back(column);
  }
  if (columns.empty()) {
    fail_input(
        fmt::format("{}: expected a column per metric beside 'name', got none", table.where));
  }
  return columns;
}

std::map<std::string, std::string> groups_of(const ModelTable& table, const std::string& title,
                                             const DatasetRows& part) {
  const std::optional<std::size_t> column = table.find(title);
  if (title.empty() || !column) return {};
  return texts_of(table, *column, part.rows);
}

DatasetScores scores_of_part(const ModelTable& table, const DatasetRows& part,
                             const ScoreFileOptions& options) {
  DatasetScores scores{.dataset = part.dataset,
                       .groups = groups_of(table, options.group_column, part)};
  for (const std::size_t column : metric_columns(table, options)) {
    const std::string& title = table.csv.header[column];
    scores.columns.push_back({.name = title,
                              .higher_is_better = higher_is_better_by_name(title) &&
                                                  !contains(options.lower_is_better, title),
                              .values = numbers_of(table, column, part.rows)});
  }
  if (const std::optional<std::size_t> dim = table.find("dim")) {
    scores.dims = numbers_of(table, *dim, part.rows);
  }
  return scores;
}

std::vector<DatasetScores> scores_of_csv(const ModelTable& table, const ScoreFileOptions& options) {
  std::vector<DatasetScores> sets;
  for (const DatasetRows& part : rows_by_dataset(table)) {
    sets.push_back(scores_of_part(table, part, options));
  }
  return sets;
}

// A rank JSON says one thing about its models that can group them.
DatasetScores with_dim_groups(DatasetScores scores, const ScoreFileOptions& options) {
  if (options.group_column != "dim") return scores;
  for (const auto& [model, dim] : scores.dims) scores.groups[model] = fmt::format("{}", dim);
  return scores;
}

std::vector<std::string> baseline_titles(const ModelTable& table, const TruthOptions& options,
                                         const std::string& truth_column) {
  std::vector<std::string> titles;
  for (const std::string usual : {"params", "upstream", "dim"}) {
    const std::optional<std::size_t> column = table.find(usual);
    if (column && usual != truth_column && is_numeric(table, *column)) titles.push_back(usual);
  }
  for (const std::string& title : options.static_columns) {
    if (!contains(titles, title)) titles.push_back(title);
  }
  return titles;
}

DatasetTruth truth_of_part(const ModelTable& table, const DatasetRows& part,
                           const TruthOptions& options) {
  const std::string title = options.column.empty() ? "accuracy" : options.column;
  const std::size_t column = require_column(table, title, "`truth_column`");
  DatasetTruth result{.dataset = part.dataset,
                      .truth = {.column = title,
                                .higher_is_better = !contains(options.lower_is_better, title),
                                .values = numbers_of(table, column, part.rows)},
                      .groups = groups_of(table, options.group_column, part),
                      .titles = table.csv.header};
  for (const std::string& name : baseline_titles(table, options, title)) {
    const std::size_t static_column = require_column(table, name, "`static`");
    result.truth.baselines.push_back({.name = name,
                                      .higher_is_better = !contains(options.lower_is_better, name),
                                      .values = numbers_of(table, static_column, part.rows)});
  }
  return result;
}

template <typename Part>
Part only_part(std::vector<Part> parts, const std::filesystem::path& path) {
  if (parts.size() == 1) return std::move(parts.front());
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.dataset);
  fail_input(fmt::format(
      "{}: holds {} data sets ({}); keep one 'dataset' per file, or use `assay evaluate`",
      path.string(), names.size(), fmt::join(names, ", ")));
}

// "a, b, c and 9 more"
std::string a_few(Names names) {
  constexpr std::size_t shown = 3;
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.first(shown), ", "), names.size() - shown);
}

}  // namespace

bool higher_is_better_by_name(std::string_view metric) {
  const std::span<const Metric> known = all_metrics();
  const auto row = std::ranges::find(known, metric, &Metric::name);
  if (row != known.end()) return row->direction == Direction::higher_is_better;
  return metric != "consensus";  // a mean rank
}

std::vector<DatasetScores> read_score_sets(const std::filesystem::path& path,
                                           const ScoreFileOptions& options) {
  const std::string where = path.string();
  const std::string text = read_text(path);
  const std::string_view content = trim(text);
  const bool is_json = path.extension() == ".json" || content.starts_with('{');
  if (!is_json) return scores_of_csv(model_table(parse_csv(text, where), where), options);
  return {with_dim_groups(scores_of_json(text, where, options.lower_is_better), options)};
}

std::vector<ScoreColumn> read_scores(const std::filesystem::path& path,
                                     std::span<const std::string> lower_is_better) {
  const ScoreFileOptions options{
      .lower_is_better = {lower_is_better.begin(), lower_is_better.end()}};
  return only_part(read_score_sets(path, options), path).columns;
}

std::vector<DatasetTruth> read_truth_sets(const std::filesystem::path& path,
                                          const TruthOptions& options) {
  const ModelTable table = model_table(parse_csv(read_text(path), path.string()), path.string());
  std::vector<DatasetTruth> sets;
  for (const DatasetRows& part : rows_by_dataset(table)) {
    sets.push_back(truth_of_part(table, part, options));
  }
  if (std::ranges::all_of(sets, [](const DatasetTruth& set) { return set.truth.values.empty(); })) {
    fail_input(fmt::format("{}: column '{}' holds no values; choose another with `truth_column`",
                           table.where, sets.front().truth.column));
  }
  return sets;
}

Truth read_truth(const std::filesystem::path& path, const TruthOptions& options) {
  return only_part(read_truth_sets(path, options), path).truth;
}

void add_dim_baseline(Truth& truth, const std::map<std::string, double>& dims,
                      std::span<const std::string> lower_is_better) {
  const bool there =
      std::ranges::find(truth.baselines, "dim", &ScoreColumn::name) != truth.baselines.end();
  if (dims.empty() || there || truth.column == "dim") return;
  truth.baselines.push_back(
      {.name = "dim", .higher_is_better = !contains(lower_is_better, "dim"), .values = dims});
}

std::vector<std::string> model_names(const std::vector<ScoreColumn>& scores) {
  std::set<std::string> names;
  for (const ScoreColumn& column : scores) {
    for (const auto& [name, score] : column.values) names.insert(name);
  }
  return {names.begin(), names.end()};
}

void require_common_models(std::span<const std::string> scored, const Truth& truth) {
  const auto has_truth = [&](const std::string& name) { return truth.values.contains(name); };
  if (std::ranges::any_of(scored, has_truth)) return;
  std::vector<std::string> measured;
  for (const auto& [name, value] : truth.values) measured.push_back(name);
  fail_input(
      fmt::format("no model is in both the scores and the truth: scores have {}; "
                  "the truth has {}; names must be equal, letter by letter",
                  a_few(scored), a_few(measured)));
}

void require_known_columns(std::span<const std::string> lower_is_better,
                           const std::vector<ScoreColumn>& scores, const Truth& truth) {
  std::vector<std::string> known{truth.column};
  for (const ScoreColumn& column : scores) known.push_back(column.name);
  for (const ScoreColumn& column : truth.baselines) known.push_back(column.name);
  for (const std::string& name : lower_is_better) {
    if (contains(known, name)) continue;
    const std::string hint = closest_match(name, known);
    throw Error(ErrorCode::unknown,
                hint.empty() ? fmt::format("`lower_is_better`: no column '{}'; there are {}", name,
                                           fmt::join(known, ", "))
                             : fmt::format("`lower_is_better`: no column '{}'; did you mean '{}'?",
                                           name, hint));
  }
}

}  // namespace assay
