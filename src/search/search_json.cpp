#include "report/json_values.h"
#include "search/search_report.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

Json look_json(const RaceLook& look) {
  return {{"samples", look.samples}, {"value", look.value}, {"difference", look.difference},
          {"error", look.error},     {"drift", look.drift}, {"high", or_null(look.high)}};
}

// Ranks and ties of the contract are of scores on the same samples; a race has none beyond the
// order, so they are null.
Json model_json(const SearchResult& result, const RacedModel& model, std::size_t rank) {
  Json json = {{"name", model.name},         {"rank", rank},
               {"rank_low", nullptr},        {"rank_high", nullptr},
               {"tie_group", nullptr},       {"separable_from", Json::array()},
               {"n", model.samples()},       {"dim", model.dim},
               {"reported", model.reported}, {"state", race_state_name(model.state)},
               {"samples", model.samples()}, {"passes", model.passes},
               {"seconds", model.seconds},   {"seconds_saved", model.seconds_saved}};
  json["scores"] = Json::object();
  if (!model.looks.empty())
    json["scores"][std::string(result.by->name)] = {{"value", model.looks.back().value},
                                                    {"low", nullptr},
                                                    {"high", nullptr},
                                                    {"seconds", model.seconds},
                                                    {"flags", Json::array()}};
  json["looks"] = Json::array();
  for (const RaceLook& look : model.looks) json["looks"].push_back(look_json(look));
  return json;
}

}  // namespace

Json search_json(const SearchResult& result) {
  Json json = {{"command", "rank"}, {"by", result.by->name}, {"confidence", result.level}};
  json["metrics"][std::string(result.by->name)] = {
      {"direction", result.by->direction == Direction::higher_is_better ? "higher" : "lower"},
      {"unit", result.by->unit}};
  json["race"] = {{"budget", result.budget.text},
                  {"top", result.top},
                  {"end", race_end_name(result.end)},
                  {"settled", result.settled()},
                  {"looks", result.looks},
                  {"samples", result.samples},
                  {"passes", result.passes},
                  {"full_passes", result.full_passes},
                  {"passes_of", result.networks ? "images" : "rows"},
                  {"reproducible", result.budget.unit != SearchBudget::Unit::seconds},
                  {"seconds", result.seconds},
                  {"seconds_saved", result.seconds_saved}};
  json["race"]["reported"] = Json::array();
  for (const RacedModel& model : result.models)
    if (model.reported) json["race"]["reported"].push_back(model.name);
  json["verdict"] = search_verdict(result);
  json["models"] = Json::array();
  for (std::size_t k = 0; k < result.models.size(); ++k)
    json["models"].push_back(model_json(result, result.models[k], k + 1));
  json["failed"] = Json::array();
  for (const FailedModel& failed : result.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  json["notes"] = result.notes;
  return json;
}

}  // namespace assay
