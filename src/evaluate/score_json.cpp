#include "evaluate/score_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "assay/error.h"
#include "evaluate/prior_scores.h"
#include "io/json.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

const Json* child(const Json& parent, const std::string& key) {
  if (!parent.is_object()) return nullptr;
  const auto found = parent.find(key);
  return found == parent.end() ? nullptr : &*found;
}

[[noreturn]] void fail_rank_json(const std::string& where, const std::string& what) {
  fail_input(
      fmt::format("{}: {}; expected the JSON of a result of rank, prior or robust", where, what));
}

bool higher_is_better_in_json(const Json& root, const std::string& metric,
                              const std::string& where) {
  const Json* metrics = child(root, "metrics");
  const Json* entry = metrics ? child(*metrics, metric) : nullptr;
  const Json* direction = entry ? child(*entry, "direction") : nullptr;
  if (!direction) return higher_is_better_by_name(metric);
  if (*direction != "higher" && *direction != "lower") {
    fail_input(fmt::format("{}: direction of '{}': expected \"higher\" or \"lower\", got {}", where,
                           metric, direction->dump()));
  }
  return *direction == "higher";
}

// Metric and value; null is nothing.
using NamedScore = std::pair<std::string, std::optional<double>>;

std::optional<double> json_number(const Json& parent, const std::string& key) {
  const Json* value = child(parent, key);
  return value && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

// A robust result has a list: a score per epsilon and threshold, each plain and calibrated.
std::vector<NamedScore> scores_of_robust_model(const Json& scores, const std::string& where) {
  std::vector<NamedScore> result;
  for (const Json& score : scores) {
    const auto epsilon = json_number(score, "epsilon");
    const auto threshold = json_number(score, "threshold");
    if (!epsilon || !threshold || !child(score, "value"))
      fail_rank_json(where, "a score without epsilon, threshold and value");
    for (const std::string which : {"value", "calibrated"}) {
      result.emplace_back(fmt::format("{}_e{:g}_t{:g}", which, *epsilon, *threshold),
                          json_number(score, which));
    }
  }
  return result;
}

std::vector<NamedScore> scores_of_model(const Json& model, const std::string& where) {
  const Json* scores = child(model, "scores");
  if (scores && scores->is_array()) return scores_of_robust_model(*scores, where);
  if (!scores || !scores->is_object()) fail_rank_json(where, "no object `scores`");
  std::vector<NamedScore> result;
  for (const auto& [metric, score] : scores->items()) {
    const Json* value = child(score, "value");
    if (!value || !(value->is_number() || value->is_null())) {
      fail_rank_json(where, fmt::format("'scores.{}' has no number 'value'", metric));
    }
    result.emplace_back(metric,
                        value->is_null() ? std::nullopt : std::optional(value->get<double>()));
  }
  const Json* consensus = child(model, "consensus");  // the mean rank stands beside the scores
  if (consensus && consensus->is_number())
    result.emplace_back("consensus", consensus->get<double>());
  return result;
}

const std::string& name_of_model(const Json& model, const std::string& where) {
  const Json* name = child(model, "name");
  if (!name || !name->is_string()) fail_rank_json(where, "no text 'name'");
  return name->get_ref<const std::string&>();
}

}  // namespace

DatasetScores scores_of_json(const std::string& text, const std::string& where,
                             std::span<const std::string> lower_is_better) {
  Json root = parse_ordered_json(text, where);
  if (is_prior_result(root)) root = scores_of_prior(root, where);
  const Json* models = child(root, "models");
  if (!models || !models->is_array()) fail_rank_json(where, "no array 'models'");
  DatasetScores result;
  std::vector<ScoreColumn>& columns = result.columns;
  std::set<std::string> names;
  for (const Json& model : *models) {
    const std::string entry = fmt::format("{}: models[{}]", where, names.size());
    const std::string& name = name_of_model(model, entry);
    if (!names.insert(name).second) {
      fail_input(fmt::format("{}: model \"{}\" appears twice; keep one", entry, name));
    }
    const Json* dim = child(model, "dim");
    if (dim && dim->is_number()) result.dims.emplace(name, dim->get<double>());
    for (const auto& [metric, value] : scores_of_model(model, entry)) {
      auto column = std::ranges::find(columns, metric, &ScoreColumn::name);
      if (column == columns.end()) {
        const bool lower = std::ranges::find(lower_is_better, metric) != lower_is_better.end();
        columns.push_back({metric, !lower && higher_is_better_in_json(root, metric, where), {}});
        column = columns.end() - 1;
      }
      if (value) column->values.emplace(name, *value);
    }
  }
  if (columns.empty()) fail_rank_json(where, "no model has a score");
  return result;
}

}  // namespace assay
