#include "curve/epsilons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "core/text.h"
#include "io/csv.h"
#include "io/json.h"

namespace assay {
namespace {

constexpr std::string_view kFrom = "from:";
constexpr std::string_view kJson = ".json";

[[noreturn]] void fail_source(const std::string& path, const std::string& what) {
  fail_input(fmt::format("{}: {}; expected the JSON of a result of curve", path, what));
}

nlohmann::json models_in(const std::string& path) {
  const nlohmann::json root = read_json(path);
  if (!root.is_object() || !root.contains("models") || !root["models"].is_array())
    fail_source(path, "no array 'models'");
  return root["models"];
}

// The smallest final loss of the models, or that of the one named.
double loss_from(std::string_view source) {
  const std::size_t end = source.rfind(kJson);
  const bool named = end != std::string_view::npos && source.size() > end + kJson.size() &&
                     source[end + kJson.size()] == ':';
  const std::string path(named ? source.substr(0, end + kJson.size()) : source);
  const std::string name(named ? source.substr(end + kJson.size() + 1) : "");
  std::optional<double> best;
  for (const nlohmann::json& model : models_in(path)) {
    if (!model.is_object() || !model.contains("va") || !model["va"].is_number() ||
        !model.contains("name") || !model["name"].is_string())
      fail_source(path, "a model without 'name' or 'va'");
    if (named && model["name"] != name) continue;
    const double va = model["va"];
    best = best ? std::min(*best, va) : va;
  }
  if (!best) fail_source(path, named ? fmt::format("no model '{}'", name) : "no models");
  return *best;
}

double epsilon_of(const std::string& text) {
  if (text.starts_with(kFrom)) return loss_from(std::string_view(text).substr(kFrom.size()));
  const std::optional<double> value = number_in(text);
  if (!value || !std::isfinite(*value) || *value < 0.0) {
    fail_input(fmt::format(
        "`epsilon`: '{}' is no tolerance; expected a loss of 0 or more, or from:CURVE.json", text));
  }
  return *value;
}

}  // namespace

std::vector<double> parse_epsilons(std::string_view list) {
  std::vector<double> epsilons;
  for (const std::string& part : split_list(list)) {
    const double epsilon = epsilon_of(part);
    if (std::ranges::find(epsilons, epsilon) == epsilons.end()) epsilons.push_back(epsilon);
  }
  return epsilons;
}

}  // namespace assay
