#include "curve/curve_report.h"
#include "curve/probes.h"
#include "report/json_values.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Json probe_json(const ProbeSettings& probe) {
  Json json = {{"kind", probe_name(probe.kind)}};
  if (probe.kind == ProbeKind::mlp) {
    json["hidden"] = probe.mlp.hidden;
    json["rate"] = probe.mlp.adam.rate;
    json["batch"] = probe.mlp.batch;
    json["updates"] = probe.mlp.updates;
    json["stop_loss"] = probe.mlp.stop_loss;
  } else {
    json["l2"] = probe.l2 ? Json(*probe.l2) : Json("auto");
  }
  return json;
}

std::string_view reach_name(Reach reach) {
  switch (reach) {
    case Reach::measured:
      return "measured";
    case Reach::extrapolated:
      return "extrapolated";
    case Reach::far:
      return "far";
    case Reach::not_reachable:
      break;
  }
  return "not_reachable";
}

Json needed_json(double target, const LabelsNeeded& needed) {
  return {{"target", target},
          {"labels", needed.rows},
          {"lower_bound", needed.lower_bound},
          {"upper_bound", needed.upper_bound},
          {"low", or_null(needed.low)},
          {"high", or_null(needed.high)},
          {"high_is_bound", needed.high_is_bound},
          {"reach", reach_name(needed.reach)},
          {"labels_with_validation", or_null(needed.with_validation)},
          {"levels_off", needed.levels_off ? Json{{"loss", *needed.levels_off},
                                                  {"low", needed.levels_off_range->low},
                                                  {"high", needed.levels_off_range->high}}
                                           : Json(nullptr)}};
}

Json certificate_json(const CurveCertificate& one) {
  Json json = {{"epsilon", one.epsilon},           {"delta", one.delta},
               {"rows_per_draw", one.most_rows},   {"draws", one.blocks},
               {"rows_needed", one.rows_needed()}, {"rows_available", one.rows_available}};
  if (!one.refused.empty()) {
    json["refused"] = one.refused;
    return json;
  }
  json["sdl"] = {
      {"value", one.surplus.value}, {"tight", one.surplus.tight}, {"radius", one.radius}};
  json["esc"] = {{"value", one.complexity.rows},
                 {"reached", one.complexity.reached},
                 {"tested_against", 0.5 * one.epsilon}};
  return json;
}

Json refined_json(const CurveModel& model, const std::vector<double>& epsilons) {
  Json json = Json::array();
  for (std::size_t k = 0; k < model.brackets.size(); ++k) {
    const std::optional<Bracket>& bracket = model.brackets[k];
    json.push_back({{"epsilon", epsilons[k]},
                    {"above", bracket ? Json(bracket->low) : Json(nullptr)},
                    {"reached", bracket ? Json(bracket->high) : Json(nullptr)}});
  }
  return json;
}

void add_model(Json& json, const CurveModel& model, const CurveResult& result) {
  json["dim"] = model.dim > 0 ? Json(model.dim) : Json(nullptr);
  json["mean_updates"] = model.mean_updates;
  json["not_converged"] = model.not_converged;
  if (!model.brackets.empty()) {
    json["refined"] = refined_json(model, result.curves.epsilons);
    json["refined_curve"] = Json::array();
    for (const CurvePoint& point : points_of(model.refined.runs))
      json["refined_curve"].push_back({{"n", point.n}, {"loss", point.loss}});
  }
  if (!model.penalties.empty() && !result.probe.l2) {
    json["l2"] = Json::array();
    for (const ChosenPenalty& chosen : model.penalties)
      json["l2"].push_back({{"n", chosen.n}, {"l2", chosen.l2}});
  }
  json["forecast"] = Json::array();
  for (const ForecastPoint& point : model.forecast) {
    json["forecast"].push_back({{"n", point.n},
                                {"loss", point.loss},
                                {"low", point.range.low},
                                {"high", point.range.high}});
  }
  if (model.for_loss) json["target_loss"] = needed_json(*result.target_loss, *model.for_loss);
  if (model.for_accuracy)
    json["target_accuracy"] = needed_json(*result.target_accuracy, *model.for_accuracy);
  if (model.certificates.empty()) return;
  json["certificates"] = Json::array();
  for (const CurveCertificate& one : model.certificates)
    json["certificates"].push_back(certificate_json(one));
}

}  // namespace

Json curve_hub_json(const CurveResult& result) {
  Json json = curve_json(result.curves);
  json["probe"] = probe_json(result.probe);
  json["train_rows"] = result.train_rows;
  json["validation_rows"] = result.validation_rows;
  json["split"] = result.own_validation ? "own validation rows" : "anew for every seed";
  json["groups"] = result.groups > 0 ? Json(result.groups) : Json(nullptr);
  json["epsilon_chosen"] = result.chose_epsilon;
  json["classes"] = result.classes > 0 ? Json(result.classes) : Json(nullptr);
  json["probes"] = result.probes;
  json["resumed"] = result.resumed;
  for (std::size_t i = 0; i < result.models.size(); ++i)
    add_model(json["models"][i], result.models[i], result);
  if (!result.needs_fewer.empty()) json["needs_fewer"] = Json::array();
  for (const NeedsFewer& one : result.needs_fewer) {
    json["needs_fewer"].push_back({{"first", one.first},
                                   {"second", one.second},
                                   {"share", one.share},
                                   {"target", one.for_accuracy ? "accuracy" : "loss"}});
  }
  const std::string answer = curve_answer(result);
  if (!answer.empty()) json["answer"] = answer;
  json["failed"] = Json::array();
  for (const FailedModel& failed : result.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  return json;
}

}  // namespace assay
