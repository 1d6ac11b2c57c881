#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "metrics/fixed_point.h"
#include "metrics/held_out.h"
#include "rank/guessing.h"
#include "rank/rank_report.h"
#include "rank/score_unit.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// Counts as whole numbers, what does not exist as null.
Json number_or_null(double value) {
  if (!std::isfinite(value)) return nullptr;
  const bool count = value == std::floor(value) && value >= 0.0 && value < 1e15;
  return count ? Json(static_cast<Index>(value)) : Json(value);
}

template <typename T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Enough digits to draw with.
Json drawn_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.5g}", value));
}

Json fixed_point_json(const FixedPointCurves& curves, const std::vector<std::string>& names) {
  Json json = {{"t", Json::array()}, {"columns", Json::array()}, {"all_columns", names.size()}};
  for (const double t : curves.t) json["t"].push_back(drawn_number(t));
  for (const FixedPointCurve& curve : curves.columns) {
    Json f = Json::array();
    for (const double value : curve.f) f.push_back(drawn_number(value));
    json["columns"].push_back({{"name", names[static_cast<std::size_t>(curve.column)]},
                               {"t", drawn_number(curve.t)},
                               {"kind", evidence_case_name(curve.kind)},
                               {"f", std::move(f)}});
  }
  return json;
}

// Of the best models only: one says what there is to see, and they take room.
void add_fixed_points(Json& models, const RankResult& result) {
  constexpr Index most = 12;
  Index shown = 0;
  for (const Place& place : result.ranking.places) {
    if (++shown > most) return;
    const ScoredModel& model = result.models[static_cast<std::size_t>(place.candidate)];
    Json& json = models[static_cast<std::size_t>(shown - 1)];
    for (const MetricScore& score : model.scores) {
      if (!score.fixed_points) continue;
      json["scores"][std::string(score.metric->name)]["fixed_point"] =
          fixed_point_json(*score.fixed_points, result.column_names);
    }
  }
}

Json agreement_json(const RankResult& result) {
  Json json = {{"metrics", Json::array()}, {"kendall", Json::array()}};
  for (const Metric* metric : result.metrics) json["metrics"].push_back(metric->name);
  for (const std::vector<std::optional<double>>& row : result.agreement) {
    Json line = Json::array();
    for (const std::optional<double>& tau : row) line.push_back(optional_json(tau));
    json["kendall"].push_back(std::move(line));
  }
  return json;
}

// What always guessing would get of an accuracy; an error's is of the same kind.
void add_chance(Json& json, const RankResult& result, const MetricScore& score) {
  const bool share = score.metric->unit == "accuracy" || score.metric->unit == "error";
  if (!share || json.contains("chance")) return;
  if (const std::optional<double> guess = score_of_guessing(result, score)) json["chance"] = *guess;
}

// A hub metric's value under every setting with the two parts that it is the sum of.
Json variants_json(const MetricScore& score) {
  const std::array<std::string_view, 2>& parts = score.metric->setting_parts;
  Json json = Json::array();
  for (std::size_t k = 0; k < score.score.variants.size(); ++k) {
    json.push_back({{"setting", score.metric->settings[k]},
                    {"value", score.score.variants[k]},
                    {parts[0], score.score.variant_parts[k][0]},
                    {parts[1], score.score.variant_parts[k][1]}});
  }
  return json;
}

Json score_json(const RankResult& result, const MetricScore& score) {
  const std::optional<Interval> interval = score_interval(score, result.ranking.level);
  Json json = {
      {"value", std::isfinite(score.score.value) ? Json(score.score.value) : Json(nullptr)},
      {"low", interval ? Json(interval->low) : Json(nullptr)},
      {"high", interval ? Json(interval->high) : Json(nullptr)},
      {"seconds", score.seconds},
      {"flags", score.score.flags}};
  for (const auto& [name, value] : score.score.details) json[name] = number_or_null(value);
  if (score.draws.empty() && !score.score.variant_parts.empty())
    json["settings"] = variants_json(score);
  if (score.held_out) json["held_out_log_likelihood"] = score.held_out->value;
  if (!score.draws.empty()) json["draw_values"] = score.draws;
  if (score.draws.empty() && !score.score.per_class.empty())
    json["per_class"] = score.score.per_class;
  add_chance(json, result, score);
  return json;
}

Json model_json(const RankResult& result, const ScoredModel& model, const Place* place) {
  Json json = {{"name", model.name}};
  if (place != nullptr) {
    json["rank"] = place->rank;
    json["rank_low"] = optional_json(place->rank_low);
    json["rank_high"] = optional_json(place->rank_high);
    json["tie_group"] = place->tie_group > 0 ? Json(place->tie_group) : Json(nullptr);
    json["separable_from"] = Json::array();
    for (const Index other : place->separable_from)
      json["separable_from"].push_back(result.models[static_cast<std::size_t>(other)].name);
    if (place->tie_group == 1 && place->rank > 1) {
      const std::optional<double> labels = labels_to_separate(*place, model.samples);
      json["labels_to_separate"] = labels ? Json(std::llround(*labels)) : Json(nullptr);
    }
  }
  json["n"] = model.samples;
  json["dim"] = model.dim;
  if (model.cost) {
    json["latency_ms"] = model.cost->latency_ms;
    json["params"] = model.cost->params > 0 ? Json(model.cost->params) : Json(nullptr);
    json["size_bytes"] = static_cast<Index>(model.cost->bytes);
    json["pareto"] = model.pareto;
  }
  for (const MetricScore& score : model.scores) {
    json["scores"][std::string(score.metric->name)] = score_json(result, score);
  }
  return json;
}

Json settings_json(const std::vector<SettingStudy>& studies) {
  Json json = Json::array();
  for (const SettingStudy& one : studies) {
    json.push_back({{"setting", one.name},
                    {"balance", one.balance ? number_or_null(*one.balance) : Json(nullptr)},
                    {"agreement", optional_json(one.agreement)}});
  }
  return json;
}

// The order of the classes is then of interest.
bool has_per_class(const ScoredModel& model) {
  return std::ranges::any_of(model.scores, [](const MetricScore& score) {
    return score.draws.empty() && !score.score.per_class.empty();
  });
}

const char* kind_name(TargetKind kind) {
  if (kind == TargetKind::classes) return "classes";
  if (kind == TargetKind::soft_classes) return "soft_classes";
  return kind == TargetKind::regression ? "regression" : "multi_label";
}

Json targets_json(const RankResult& result) {
  Json json = {{"kind", kind_name(result.target_kind)},
               {"columns", result.columns},
               {"centered", result.centered}};
  if (!result.models.empty() && has_per_class(result.models.front()))
    json["names"] = result.column_names;
  return json;
}

Json metric_json(const RankResult& result, const Metric* metric) {
  Json json = {{"direction", metric->direction == Direction::higher_is_better ? "higher" : "lower"},
               {"unit", score_unit(*metric, result.target_kind)}};
  if (const auto balance = result.balance.find(metric); balance != result.balance.end())
    json["balance"] = number_or_null(balance->second);
  if (const auto chosen = result.settings.find(metric); chosen != result.settings.end())
    json["setting"] = metric->settings[chosen->second];
  if (const auto study = result.setting_studies.find(metric); study != result.setting_studies.end())
    json["settings"] = settings_json(study->second);
  return json;
}

Json few_labels_json(const RankResult& result) {
  return {{"per_class", *result.labels_per_class},
          {"enough", kFewLabels},
          {"consensus_by", result.by_held_out ? "held_out" : "value"},
          {"reason", "with so few labels accuracies count too few cases to tell models apart"}};
}

}  // namespace

Json rank_json(const RankResult& result) {
  Json json;
  json["command"] = "rank";
  json["by"] = result.by != nullptr ? result.by->name : "consensus";
  json["confidence"] = result.ranking.level;
  json["folds"] = result.folds;
  json["intervals"] = {{"from", interval_source(result)},
                       {"units", result.ranking.units},
                       {"ranges", "marginal"},
                       {"separable_from", "joint"}};
  json["targets"] = targets_json(result);
  for (const Metric* metric : result.metrics)
    json["metrics"][std::string(metric->name)] = metric_json(result, metric);
  if (!result.consensus.empty()) {
    json["consensus_of"] = Json::array();
    for (const Metric* metric : result.consensus_metrics)
      json["consensus_of"].push_back(metric->name);
  }
  if (result.labels_per_class) json["few_labels"] = few_labels_json(result);
  json["left_out"] = Json::array();
  for (const LeftOut& one : result.left_out)
    json["left_out"].push_back({{"metric", one.metric->name}, {"reason", one.reason}});
  if (result.draws > 0) json["subsample"] = {{"draws", result.draws}, {"rows", result.draw_rows}};
  const Guessing guessing = judge_guessing(result);
  json["guessing"] = {{"beaten", optional_json(guessing.beaten())},
                      {"largest_class", optional_json(result.largest_class)}};
  json["verdict"] = rank_verdict(result);
  json["models"] = Json::array();
  for (const Place& place : result.ranking.places) {
    const auto i = static_cast<std::size_t>(place.candidate);
    json["models"].push_back(model_json(result, result.models[i], &place));
    json["models"].back()["beats_guessing"] = optional_json(guessing.beaten_by[i]);
    if (!result.consensus.empty()) json["models"].back()["consensus"] = result.consensus[i];
  }
  add_fixed_points(json["models"], result);
  if (!result.agreement.empty()) json["agreement"] = agreement_json(result);
  json["controls"] = Json::array();
  for (const ScoredModel& control : result.controls) {
    json["controls"].push_back(model_json(result, control, nullptr));
  }
  json["failed"] = Json::array();
  for (const FailedModel& failed : result.failed) {
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  }
  json["notes"] = result.notes;
  return json;
}

std::vector<FileDigest> ranked_inputs(const RankResult& result) {
  std::vector<FileDigest> inputs = result.inputs;
  for (const ScoredModel& model : result.models)
    inputs.insert(inputs.end(), model.digests.begin(), model.digests.end());
  return inputs;
}

}  // namespace assay
