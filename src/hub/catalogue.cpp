#include "hub/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "assay/error.h"
#include "assay/hub.h"
#include "assay/network.h"
#include "io/csv.h"
#include "io/json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

double bytes_of(const std::vector<fs::path>& files) {
  double bytes = 0.0;
  for (const fs::path& file : files) {
    std::error_code failure;
    const auto size = fs::file_size(file, failure);
    if (!failure) bytes += static_cast<double>(size);
  }
  return bytes;
}

void describe(const NetworkDescription& said, CatalogueEntry& entry) {
  entry.name = said.name;
  entry.params = said.params;
  entry.dim = said.feature_dim;
  entry.licence = said.licence;
}

// Of hub.json, what running a network does not need.
struct Remarks {
  std::optional<double> ms;
  std::optional<double> standing;
  std::vector<std::string> trained_on;
};

std::optional<double> number_at(const nlohmann::json& object, const char* key,
                                const std::string& where) {
  if (!object.contains(key) || object[key].is_null()) return {};
  if (!object[key].is_number()) fail_input(fmt::format("{}: '{}' must be a number", where, key));
  return object[key].get<double>();
}

std::vector<std::string> texts_at(const nlohmann::json& object, const char* key,
                                  const std::string& where) {
  if (!object.contains(key) || object[key].is_null()) return {};
  const nlohmann::json& value = object[key];
  if (value.is_string()) return {value.get<std::string>()};
  const bool texts = value.is_array() && std::ranges::all_of(value, [](const nlohmann::json& one) {
                       return one.is_string();
                     });
  if (!texts) fail_input(fmt::format("{}: '{}' must be text or an array of texts", where, key));
  return value.get<std::vector<std::string>>();
}

void add_remarks(const fs::path& file, std::map<std::string, Remarks>& out) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  const nlohmann::json entries = read_json(file);
  if (!entries.is_array()) return;  // find_networks says so
  for (const nlohmann::json& one : entries) {
    if (!one.is_object()) continue;
    const std::vector<std::string> named = texts_at(one, "name", file.string());
    const std::vector<std::string> kept = texts_at(one, "file", file.string());
    if (named.empty() && kept.empty()) continue;
    const std::string name = named.empty() ? fs::path(kept.front()).stem().string() : named.front();
    const std::string where = fmt::format("{}: entry '{}'", file.string(), name);
    out[name] = {number_at(one, "ms", where), number_at(one, "static", where),
                 texts_at(one, "trained_on", where)};
  }
}

std::map<std::string, Remarks> remarks_of(const std::vector<fs::path>& inputs) {
  std::map<std::string, Remarks> out;
  for (const fs::path& input : inputs) {
    std::error_code ignored;
    add_remarks((fs::is_directory(input, ignored) ? input : input.parent_path()) / "hub.json", out);
  }
  return out;
}

struct FieldName {
  std::string_view name;
  Requirement::Field field;
};
constexpr std::array<FieldName, 6> kFields = {{{"ms", Requirement::Field::ms},
                                               {"params", Requirement::Field::params},
                                               {"size", Requirement::Field::size},
                                               {"dim", Requirement::Field::dim},
                                               {"licence", Requirement::Field::licence},
                                               {"license", Requirement::Field::licence}}};

struct RelationSign {
  std::string_view sign;
  Requirement::Relation relation;
};
constexpr std::array<RelationSign, 6> kRelations = {{{"<=", Requirement::Relation::at_most},
                                                     {">=", Requirement::Relation::at_least},
                                                     {"!=", Requirement::Relation::other},
                                                     {"<", Requirement::Relation::less},
                                                     {">", Requirement::Relation::more},
                                                     {"=", Requirement::Relation::equal}}};

[[noreturn]] void refuse(std::string_view text) {
  fail_input(
      fmt::format("`require` {}: expected conditions such as ms<10, params<=5e6, size<100 (MB), "
                  "dim<=768 or licence=apache-2.0, separated by commas",
                  text));
}

Requirement parse_requirement(std::string_view text) {
  for (const FieldName& field : kFields) {
    if (!lower(text).starts_with(field.name)) continue;
    const std::string_view rest = text.substr(field.name.size());
    for (const RelationSign& relation : kRelations) {
      if (!rest.starts_with(relation.sign)) continue;
      const std::string_view value = rest.substr(relation.sign.size());
      Requirement out{field.field, relation.relation, 0.0, lower(value), std::string(text)};
      if (out.field == Requirement::Field::licence) {
        const bool equality = out.relation == Requirement::Relation::equal ||
                              out.relation == Requirement::Relation::other;
        if (value.empty() || !equality) refuse(text);
        return out;
      }
      const std::optional<double> number = number_in(value);
      if (!number || !(*number == *number)) refuse(text);
      out.number = *number;
      return out;
    }
  }
  refuse(text);
}

bool holds(Requirement::Relation relation, double value, double bound) {
  switch (relation) {
    case Requirement::Relation::less:
      return value < bound;
    case Requirement::Relation::at_most:
      return value <= bound;
    case Requirement::Relation::more:
      return value > bound;
    case Requirement::Relation::at_least:
      return value >= bound;
    case Requirement::Relation::equal:
      return value == bound;
    case Requirement::Relation::other:
      break;
  }
  return value != bound;
}

// "Apache-2.0 (weights of ...)" is apache-2.0; "LGPL" is not GPL.
bool is_licence(const std::string& licence, const std::string& wanted) {
  const std::string found = lower(licence);
  if (!found.starts_with(wanted)) return false;
  if (found.size() == wanted.size()) return true;
  const char next = found[wanted.size()];
  return std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '-' && next != '.';
}

std::optional<double> number_of(const CatalogueEntry& model, Requirement::Field field) {
  constexpr double megabyte = 1e6;
  const auto known = [](double value) { return value > 0.0 ? std::optional(value) : std::nullopt; };
  if (field == Requirement::Field::ms) return model.ms;
  if (field == Requirement::Field::params) return known(static_cast<double>(model.params));
  if (field == Requirement::Field::size) return known(model.bytes / megabyte);
  return known(static_cast<double>(model.dim));
}

std::string unmet_one(const CatalogueEntry& model, const Requirement& wanted) {
  if (wanted.field == Requirement::Field::licence) {
    if (model.licence.empty()) return "its licence is not known";
    const bool same = is_licence(model.licence, wanted.word);
    return same == (wanted.relation == Requirement::Relation::equal)
               ? ""
               : fmt::format("licence {}", model.licence);
  }
  const std::string name = wanted.text.substr(0, wanted.text.find_first_of("<>=!"));
  const std::optional<double> value = number_of(model, wanted.field);
  if (!value) return fmt::format("its {} is not known", name);
  return holds(wanted.relation, *value, wanted.number) ? "" : fmt::format("{} {:g}", name, *value);
}

}  // namespace

Catalogue read_catalogue(const fs::path& labels, const std::vector<fs::path>& inputs) {
  std::map<std::string, CatalogueEntry> models;
  Catalogue out;
  const NetworkList networks = find_networks(inputs);
  for (const NetworkDescription& said : networks.networks) {
    CatalogueEntry& entry = models[said.name];
    describe(said, entry);
    std::error_code ignored;
    entry.network = fs::exists(said.file, ignored);
    entry.network_file = said.file;
    entry.bytes = bytes_of({said.file});
  }
  for (const FailedNetwork& failed : networks.failed) out.notes.push_back(failed.error);
  for (const Model& model : list_models(inputs, labels).models) {
    CatalogueEntry& entry = models[model.name];
    entry.name = model.name;
    entry.features = true;
    entry.files = model;
    if (!entry.network) entry.bytes = bytes_of(model.features);
  }
  for (const auto& [name, remarks] : remarks_of(inputs)) {
    const auto entry = models.find(name);
    if (entry == models.end()) continue;
    entry->second.ms = remarks.ms;
    entry->second.standing = remarks.standing;
    entry->second.trained_on = remarks.trained_on;
  }
  for (auto& [name, entry] : models) out.models.push_back(std::move(entry));
  if (out.models.empty())
    fail_input(fmt::format("{}: no models found; expected a hub of networks or feature files",
                           inputs.empty() ? "" : inputs.front().string()));
  return out;
}

std::map<std::string, double> declared_standings(const std::vector<fs::path>& inputs) {
  std::map<std::string, double> out;
  for (const auto& [name, remarks] : remarks_of(inputs))
    if (remarks.standing) out[name] = *remarks.standing;
  return out;
}

std::vector<Requirement> parse_requirements(std::string_view list) {
  std::vector<Requirement> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string_view one = list.substr(begin, end - begin);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    out.push_back(parse_requirement(one));
    begin = end + 1;
  }
  return out;
}

std::string unmet(const CatalogueEntry& model, const std::vector<Requirement>& requirements) {
  for (const Requirement& wanted : requirements) {
    std::string reason = unmet_one(model, wanted);
    if (!reason.empty()) return reason;
  }
  return "";
}

bool has_seen(const CatalogueEntry& model, std::string_view dataset) {
  return std::ranges::any_of(
      model.trained_on, [&](const std::string& seen) { return lower(seen) == lower(dataset); });
}

}  // namespace assay
