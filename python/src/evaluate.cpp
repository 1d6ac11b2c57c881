#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "assay/correlation.h"
#include "assay/error.h"
#include "bindings.h"
#include "evaluate/evaluate_datasets_report.h"
#include "evaluate/evaluate_verdict.h"
#include "evaluate/score_files.h"
#include "evaluate/score_json.h"
#include "io/json.h"
#include "report/html_page.h"

namespace assay::python {

namespace py = pybind11;

namespace {

using Numbers = std::map<std::string, double>;
using NamedNumbers = std::vector<std::pair<std::string, Numbers>>;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

py::dict evaluate_scores(const std::string& dataset, const NamedNumbers& scores,
                         const std::string& truth_column, const Numbers& truth_values,
                         const NamedNumbers& baselines, const Numbers& dims,
                         const std::vector<std::string>& lower_is_better) {
  std::vector<ScoreColumn> columns;
  for (const auto& [name, values] : scores) {
    columns.push_back(
        {name, higher_is_better_by_name(name) && !contains(lower_is_better, name), values});
  }
  Truth truth{truth_column, !contains(lower_is_better, truth_column), truth_values, {}};
  for (const auto& [name, values] : baselines)
    truth.baselines.push_back({name, !contains(lower_is_better, name), values});
  require_common_models(model_names(columns), truth);
  add_dim_baseline(truth, dims, lower_is_better);
  require_known_columns(lower_is_better, columns, truth);
  EvaluationReport report{
      truth_column, {}, {{{dataset, std::move(columns), std::move(truth)}}}, {}};
  report.result = evaluate_many(report.comparison.datasets);
  py::dict out;
  out["json"] = evaluation_with_verdict_json(report).dump();
  out["text"] = evaluation_text(report);
  return out;
}

std::optional<double> weighted_tau(const std::vector<double>& x, const std::vector<double>& y) {
  return weighted_kendall_tau(x, y);
}

// The columns of a result of prior_score or prior_probe, the models' dimensions, and which columns
// are better when lower.
std::tuple<NamedNumbers, Numbers, std::vector<std::string>> prior_columns(const std::string& json) {
  const DatasetScores scores = scores_of_json(json, "scores", {});
  NamedNumbers columns;
  std::vector<std::string> lower;
  for (const ScoreColumn& column : scores.columns) {
    columns.emplace_back(column.name, column.values);
    if (!column.higher_is_better) lower.push_back(column.name);
  }
  return {columns, scores.dims, lower};
}

// The page of --html for results as their JSON.
std::string page(const std::vector<std::string>& results) {
  std::vector<PageResult> parsed;
  for (const std::string& text : results)
    parsed.push_back({parse_ordered_json(text, "result"), {}});
  return html_page(parsed);
}

}  // namespace

void bind_evaluate(py::module_& module) {
  module.def("has_html_page", &has_html_page);
  module.def("html_page", &page);
  module.def("evaluate", &evaluate_scores);
  module.def("prior_columns", &prior_columns);
  module.def("weighted_tau", &weighted_tau);
}

}  // namespace assay::python
