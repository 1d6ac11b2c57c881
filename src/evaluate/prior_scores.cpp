#include "evaluate/prior_scores.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "assay/error.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

struct PriorColumn {
  std::string_view name;
  bool higher_is_better;
  enum class Hangs { on_model, on_prior, on_temperature } hangs;
};

using Hangs = PriorColumn::Hangs;

constexpr PriorColumn kPriorColumns[] = {
    {"probe_r2", true, Hangs::on_prior},
    {"expectation", true, Hangs::on_temperature},
    {"sd_per_pair", false, Hangs::on_temperature},
    {"mean", true, Hangs::on_model},
    {"task_variance", false, Hangs::on_model},
    {"worst_5_percent", true, Hangs::on_model},
    {"rankme", true, Hangs::on_model},
    {"alpha_req", false, Hangs::on_model},
    {"lidar", true, Hangs::on_model},
};

// Null where the row has none.
Json value_of(const Json& row, std::string_view column) {
  const auto found = row.find(column);
  if (found == row.end() || found->is_null()) return nullptr;
  if (column == "probe_r2") return found->is_object() ? found->value("value", Json()) : Json();
  if (column == "alpha_req" && found->is_number()) return std::abs(found->get<double>() - 1.0);
  return *found;
}

struct Settings {
  std::set<std::string> priors, temperatures;
};

std::string temperature_of(const Json& row) {
  const auto found = row.find("temperature");
  return found != row.end() && found->is_number() ? fmt::format("{:.4g}", found->get<double>())
                                                  : std::string();
}

std::string prior_of(const Json& row) {
  const auto found = row.find("prior");
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string titled(const PriorColumn& column, const Json& row, const Settings& settings) {
  std::string where;
  if (column.hangs != Hangs::on_model && settings.priors.size() > 1) where = prior_of(row);
  if (column.hangs == Hangs::on_temperature && settings.temperatures.size() > 1)
    where += (where.empty() ? "T = " : ", T = ") + temperature_of(row);
  return where.empty() ? std::string(column.name) : fmt::format("{} ({})", column.name, where);
}

}  // namespace

bool is_prior_result(const Json& result) {
  if (!result.is_object()) return false;
  const auto command = result.find("command");
  return command != result.end() && (*command == "prior score" || *command == "prior probe");
}

Json scores_of_prior(const Json& result, const std::string& where) {
  const auto rows = result.find("models");
  if (rows == result.end() || !rows->is_array())
    fail_input(fmt::format("{}: no array 'models'; expected a result of prior", where));
  Settings settings;
  for (const Json& row : *rows) {
    if (!row.is_object() || !row.contains("name") || !row["name"].is_string())
      fail_input(fmt::format("{}: a model without a name; expected a result of prior", where));
    settings.priors.insert(prior_of(row));
    settings.temperatures.insert(temperature_of(row));
  }
  std::map<std::string, Json> models;
  Json out = {{"metrics", Json::object()}, {"models", Json::array()}};
  for (const Json& row : *rows) {
    const std::string name = row["name"];
    Json& model = models[name];
    if (model.is_null())
      model = {{"name", name}, {"dim", row.value("dim", Json())}, {"scores", Json::object()}};
    // The prior's own model comes first under it, which says nothing about it.
    const bool own = row.value("own_prior", Json(false)) == true;
    for (const PriorColumn& column : kPriorColumns) {
      if (!row.contains(column.name)) continue;
      const bool leave_out = own && column.hangs != Hangs::on_model;
      const Json value = leave_out ? Json() : value_of(row, column.name);
      if (value.is_null() && !leave_out) continue;  // a column of nothing else would say nothing
      const std::string title = titled(column, row, settings);
      out["metrics"][title]["direction"] = column.higher_is_better ? "higher" : "lower";
      model["scores"][title]["value"] = value;
    }
  }
  for (auto& [name, model] : models) out["models"].push_back(std::move(model));
  return out;
}

}  // namespace assay
