#include "extract/check_report.h"

#include <fmt/format.h>

#include "core/text.h"
#include "report/table.h"

namespace assay {
namespace {

constexpr const char* kUnknown = "-";

std::string status_of(const CheckedNetwork& network) {
  if (!network.error.empty()) return "failed";
  return network.skipped ? "not run" : "ok";
}

std::string count_text(std::optional<Index> found, Index said) {
  if (found) return with_thousands(*found);
  return said > 0 ? with_thousands(said) : kUnknown;
}

// Licence files are sometimes a sentence; the table wants a word.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 20;
  if (text.empty()) return kUnknown;
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

template <typename T>
nlohmann::ordered_json value_or_null(const T& value, bool known) {
  return known ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json network_json(const CheckedNetwork& network) {
  const NetworkDescription& said = network.description;
  const Index dim = network.feature_dim.value_or(said.feature_dim);
  const std::optional<Index> classes = network.classes ? network.classes : said.classes;
  return {{"name", said.name},
          {"file", said.file.string()},
          {"backend", backend_name(said.backend)},
          {"described", said.described},
          {"is_program", said.backend == Backend::torchscript},
          {"input_size", said.preprocessing.input_size},
          {"feature_dim", value_or_null(dim, dim > 0)},
          {"classes", value_or_null(classes.value_or(0), classes.has_value())},
          {"params", value_or_null(said.params, said.params > 0)},
          {"megabytes", network.megabytes},
          {"licence", value_or_null(said.licence, !said.licence.empty())},
          {"layers", network.layers},
          {"milliseconds", value_or_null(network.seconds * 1e3, network.seconds > 0.0)},
          {"status", status_of(network)}};
}

}  // namespace

std::string hub_check_table(const HubCheck& check, const Screen& screen) {
  TextTable table;
  table.add_column("network", Align::left, Keep::always);
  table.add_column("backend", Align::left);
  for (const char* title : {"input", "D", "classes", "params", "MB", "ms/image"})
    table.add_column(title, Align::right);
  table.add_column("licence", Align::left);
  table.add_column("status", Align::left, Keep::always);
  for (const CheckedNetwork& network : check.networks) {
    const NetworkDescription& said = network.description;
    table.add_row({said.name, backend_name(said.backend),
                   fmt::format("{0}x{0}", said.preprocessing.input_size),
                   count_text(network.feature_dim, said.feature_dim),
                   count_text(network.classes, said.classes.value_or(0)),
                   said.params > 0 ? with_thousands(said.params) : kUnknown,
                   fmt::format("{:.1f}", network.megabytes),
                   network.seconds > 0.0 ? fmt::format("{:.1f}", network.seconds * 1e3) : kUnknown,
                   shortened(said.licence), status_of(network)});
  }
  for (const FailedNetwork& failed : check.failed) {
    std::vector<std::string> cells(10, kUnknown);
    cells.front() = failed.name;
    cells.back() = "failed";
    table.add_row(std::move(cells));
  }
  return table.str(screen);
}

nlohmann::ordered_json hub_check_json(const HubCheck& check) {
  nlohmann::ordered_json json;
  json["command"] = "hub check";
  json["networks"] = nlohmann::ordered_json::array();
  json["failed"] = nlohmann::ordered_json::array();
  for (const CheckedNetwork& network : check.networks) {
    json["networks"].push_back(network_json(network));
    if (!network.error.empty())
      json["failed"].push_back({{"name", network.description.name}, {"error", network.error}});
  }
  for (const FailedNetwork& failed : check.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  json["notes"] = check.notes;
  return json;
}

}  // namespace assay
