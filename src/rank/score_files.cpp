#include "assay/rank/score_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "assay/core/error.h"
#include "assay/core/text.h"
#include "assay/io/csv.h"
#include "model_table.h"
#include "score_json.h"

namespace assay {
namespace {

using Names = std::span<const std::string>;

bool contains(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Not mapped: the shell's <(assay rank ... --json -) is a pipe.
std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) fail_system(path.string(), "read");
  std::ostringstream text;
  text << file.rdbuf();
  if (text.bad()) fail_system(path.string(), "read");
  return std::move(text).str();
}

std::vector<ScoreColumn> scores_of_csv(const ModelTable& table, Names lower_is_better) {
  constexpr std::array<std::string_view, 4> not_metrics = {"", "name", "dataset", "group"};
  std::vector<ScoreColumn> scores;
  for (std::size_t column = 0; column < table.csv.header.size(); ++column) {
    const std::string& title = table.csv.header[column];
    if (std::ranges::find(not_metrics, title) != not_metrics.end()) continue;
    scores.push_back(
        {.name = title,
         .higher_is_better = higher_is_better_by_name(title) && !contains(lower_is_better, title),
         .values = numbers_of(table, column)});
  }
  if (scores.empty()) {
    fail_input(
        fmt::format("{}: expected a column per metric beside `name`, got none", table.where));
  }
  return scores;
}

std::vector<ScoreColumn> baselines_of(const ModelTable& table, const TruthOptions& options,
                                      const std::string& truth_column) {
  std::vector<std::string> titles;
  for (const std::string usual : {"params", "upstream"}) {
    const std::optional<std::size_t> column = table.find(usual);
    if (column && usual != truth_column && is_numeric(table, *column)) titles.push_back(usual);
  }
  for (const std::string& title : options.static_columns) {
    if (!contains(titles, title)) titles.push_back(title);
  }
  std::vector<ScoreColumn> baselines;
  for (const std::string& title : titles) {
    baselines.push_back({.name = title,
                         .higher_is_better = !contains(options.lower_is_better, title),
                         .values = numbers_of(table, require_column(table, title, "--static"))});
  }
  return baselines;
}

// "a, b, c and 9 more"
std::string a_few(Names names) {
  constexpr std::size_t shown = 3;
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.first(shown), ", "), names.size() - shown);
}

}  // namespace

bool higher_is_better_by_name(std::string_view metric) {
  return metric != "linear" && metric != "linear_valid" && !metric.starts_with("pactran_") &&
         !metric.starts_with("npactran_");
}

std::vector<ScoreColumn> read_scores(const std::filesystem::path& path,
                                     std::span<const std::string> lower_is_better) {
  const std::string where = path.string();
  const std::string text = read_text(path);
  const std::string_view content = trim(text);
  const bool is_json = path.extension() == ".json" || content.starts_with('{');
  if (is_json) return scores_of_json(text, where, lower_is_better);
  return scores_of_csv(model_table(parse_csv(text, where), where), lower_is_better);
}

Truth read_truth(const std::filesystem::path& path, const TruthOptions& options) {
  const ModelTable table = model_table(parse_csv(read_text(path), path.string()), path.string());
  const std::string title = options.column.empty() ? "accuracy" : options.column;
  Truth truth{.column = title,
              .higher_is_better = !contains(options.lower_is_better, title),
              .values = numbers_of(table, require_column(table, title, "--truth-column")),
              .baselines = baselines_of(table, options, title)};
  if (truth.values.empty()) {
    fail_input(fmt::format("{}: column '{}' holds no values; choose another with --truth-column",
                           table.where, title));
  }
  return truth;
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
                hint.empty() ? fmt::format("--lower-is-better: no column '{}'; there are {}", name,
                                           fmt::join(known, ", "))
                             : fmt::format("--lower-is-better: no column '{}'; did you mean '{}'?",
                                           name, hint));
  }
}

}  // namespace assay
