#include "similar/similar_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// The model most like this one.
std::size_t nearest_to(const SimilarResult& result, std::size_t model) {
  std::size_t best = model == 0 ? 1 : 0;
  const auto at = static_cast<Index>(model);
  for (std::size_t other = 0; other < result.models.size(); ++other)
    if (other != model &&
        result.cka(at, static_cast<Index>(other)) > result.cka(at, static_cast<Index>(best)))
      best = other;
  return best;
}

std::vector<std::vector<std::string>> groups(const SimilarResult& result) {
  std::vector<std::vector<std::string>> out;
  for (const SimilarModel& model : result.models) {
    if (model.group == 0) continue;
    if (static_cast<Index>(out.size()) < model.group)
      out.resize(static_cast<std::size_t>(model.group));
    out[static_cast<std::size_t>(model.group - 1)].push_back(model.name);
  }
  return out;
}

Json matrix_json(const Matrix& matrix) {
  Json out = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string similar_table(const SimilarResult& result, const Screen& screen) {
  TextTable table;
  table.add_column("model", Align::left, Keep::always);
  table.add_column("group", Align::right);
  table.add_column("most like", Align::left, Keep::first);
  table.add_column("CKA", Align::right, Keep::first);
  table.add_column(fmt::format("{} neighbours shared", result.neighbours), Align::right);
  table.add_column("D", Align::right, Keep::detail);
  for (std::size_t k = 0; k < result.models.size(); ++k) {
    const SimilarModel& model = result.models[k];
    const std::size_t other = nearest_to(result, k);
    const auto i = static_cast<Index>(k);
    const auto j = static_cast<Index>(other);
    table.add_row({model.name, model.group > 0 ? fmt::format("{}", model.group) : "-",
                   result.models[other].name, fmt::format("{:.3f}", result.cka(i, j)),
                   fmt::format("{:.0f} %", 100.0 * result.shared_neighbours(i, j)),
                   with_thousands(model.dim)},
                  model.group > 0 ? Tone::strong : Tone::plain);
  }
  return table.str(screen);
}

std::string similar_verdict(const SimilarResult& result) {
  const std::vector<std::vector<std::string>> alike = groups(result);
  std::string text;
  if (alike.empty()) {
    text = fmt::format("No two of the {} models are near-duplicates (CKA of {:g} or more).",
                       result.models.size(), result.duplicate);
  } else {
    text = fmt::format("Near-duplicates (CKA of {:g} or more): ", result.duplicate);
    for (std::size_t k = 0; k < alike.size(); ++k)
      text += fmt::format("{}{}", k == 0 ? "" : "; ", fmt::join(alike[k], ", "));
    text += ". A shortlist needs one of each group.";
  }
  std::vector<std::string> diverse;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, result.diverse.size()); ++k)
    diverse.push_back(result.models[result.diverse[k]].name);
  return text + fmt::format(" The {} least alike: {}.", diverse.size(), fmt::join(diverse, ", "));
}

Json similar_json(const SimilarResult& result) {
  Json json = {{"command", "similar"},
               {"samples", result.samples},
               {"compared", result.compared},
               {"neighbours", result.neighbours},
               {"duplicate_from", result.duplicate},
               {"verdict", similar_verdict(result)}};
  json["models"] = Json::array();
  for (const SimilarModel& model : result.models)
    json["models"].push_back({{"name", model.name},
                              {"dim", model.dim},
                              {"group", model.group > 0 ? Json(model.group) : Json(nullptr)},
                              {"map", {model.x, model.y}}});
  json["cka"] = matrix_json(result.cka);
  json["shared_neighbours"] = matrix_json(result.shared_neighbours);
  json["near_duplicates"] = Json::array();
  for (const SimilarPair& pair : result.duplicates)
    json["near_duplicates"].push_back({{"a", result.models[pair.a].name},
                                       {"b", result.models[pair.b].name},
                                       {"cka", pair.cka},
                                       {"shared_neighbours", pair.shared_neighbours}});
  json["diverse"] = Json::array();
  for (const std::size_t model : result.diverse)
    json["diverse"].push_back(result.models[model].name);
  json["failed"] = Json::array();
  for (const FailedModel& failed : result.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  json["notes"] = result.notes;
  return json;
}

}  // namespace assay
