#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/hub.h"
#include "assay/types.h"

namespace assay {

// What is known of a model without opening it: from its files and from hub.json. What is not known
// is 0 or empty.
struct CatalogueEntry {
  std::string name;
  std::filesystem::path network_file = {};  // where it is a network
  Model files = {};                         // where it has features
  bool network = false;                     // can be run on images
  bool features = false;                    // has features
  Index params = 0;
  Index dim = 0;
  double bytes = 0.0;  // of its file or files
  std::optional<double> ms = {};
  std::string licence = {};
  std::vector<std::string> trained_on = {};
  std::optional<double> standing = {};  // `static`: how good it is held to be, higher is better
};

struct Catalogue {
  std::vector<CatalogueEntry> models;  // by name
  std::vector<std::string> notes;
};

// Networks and feature files of hubs and single files; entries of hub.json also speak of feature
// files of their name. Throws Error for paths that do not exist, and when there is nothing.
Catalogue read_catalogue(const std::filesystem::path& labels,
                         const std::vector<std::filesystem::path>& inputs);

// `static` of every entry of hub.json that says so, by name.
std::map<std::string, double> declared_standings(const std::vector<std::filesystem::path>& inputs);

// One condition on a model: "ms<10", "licence=apache-2.0".
struct Requirement {
  enum class Field { ms, params, size, dim, licence };
  enum class Relation { less, at_most, more, at_least, equal, other };
  Field field = Field::ms;
  Relation relation = Relation::less;
  double number = 0.0;
  std::string word = {};
  std::string text = {};
};

// "ms<10,licence=apache-2.0": ms (per image), params, size (MB), dim with < <= > >= = !=; licence
// with = and !=. Throws Error.
std::vector<Requirement> parse_requirements(std::string_view list);

// Why a model does not meet them; empty when it does. What is not known is not met: nobody may use
// a model because its licence is missing. A licence is met by its first word, in any case.
std::string unmet(const CatalogueEntry& model, const std::vector<Requirement>& requirements);

// Whether the model is known to have been trained on this data set, in any case.
bool has_seen(const CatalogueEntry& model, std::string_view dataset);

}  // namespace assay
