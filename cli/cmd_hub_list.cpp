#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <set>

#include "common.h"
#include "core/clock.h"
#include "core/text.h"
#include "report/json_values.h"
#include "report/screen.h"
#include "report/table.h"
#include "requirement_options.h"

namespace assay::cli {
namespace {

struct HubListArgs {
  std::vector<std::filesystem::path> inputs;
  RequirementArgs require;
  std::optional<double> max_params;
  std::optional<double> max_ms;
  std::string licence;
};

// The short filters are conditions like any other.
std::vector<Requirement> requirements_of(const HubListArgs& args) {
  std::string list = args.require.require;
  const auto add = [&](const std::string& one) { list += (list.empty() ? "" : ",") + one; };
  if (args.max_params) add(fmt::format("params<={}", *args.max_params));
  if (args.max_ms) add(fmt::format("ms<={}", *args.max_ms));
  if (!args.licence.empty()) add("licence=" + args.licence);
  return list.empty() ? std::vector<Requirement>() : parse_requirements(list);
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string listing(const std::vector<CatalogueEntry>& models) {
  TextTable table;
  table.add_column("model", Align::left, Keep::always);
  table.add_column("kind", Align::left);
  table.add_column("params", Align::right);
  table.add_column("size", Align::right);
  table.add_column("ms/image", Align::right);
  table.add_column("D", Align::right);
  table.add_column("licence", Align::left);
  table.add_column("trained on", Align::left, Keep::detail);
  for (const CatalogueEntry& one : models) {
    table.add_row({one.name, one.network ? one.features ? "both" : "network" : "features",
                   one.params > 0 ? with_thousands(one.params) : "-", human_bytes(one.bytes),
                   one.ms ? fmt::format("{:.2f}", *one.ms) : "-",
                   one.dim > 0 ? with_thousands(one.dim) : "-", or_dash(one.licence),
                   or_dash(fmt::format("{}", fmt::join(one.trained_on, ", ")))});
  }
  return table.str(stdout_screen());
}

nlohmann::ordered_json entry_json(const CatalogueEntry& one) {
  using Json = nlohmann::ordered_json;
  return {{"name", one.name},
          {"network", one.network},
          {"features", one.features},
          {"params", one.params > 0 ? Json(one.params) : Json(nullptr)},
          {"size_bytes", one.bytes},
          {"latency_ms", or_null(one.ms)},
          {"dim", one.dim > 0 ? Json(one.dim) : Json(nullptr)},
          {"licence", one.licence.empty() ? Json(nullptr) : Json(one.licence)},
          {"trained_on", one.trained_on},
          {"static", or_null(one.standing)}};
}

Exit run_hub_list(const HubListArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  check_outputs(global, {}, args.inputs);
  const Catalogue catalogue = read_catalogue({}, args.inputs);
  const std::vector<PassedOver> without =
      passed_over(catalogue, requirements_of(args), args.require.exclude_seen);
  std::set<std::string> gone;
  for (const PassedOver& one : without) gone.insert(one.name);
  std::vector<CatalogueEntry> kept;
  for (const CatalogueEntry& one : catalogue.models)
    if (!gone.contains(one.name)) kept.push_back(one);
  nlohmann::ordered_json json = {{"command", "hub list"}};
  json["models"] = nlohmann::ordered_json::array();
  for (const CatalogueEntry& one : kept) json["models"].push_back(entry_json(one));
  json["passed_over"] = nlohmann::ordered_json::array();
  for (const PassedOver& one : without)
    json["passed_over"].push_back({{"name", one.name}, {"reason", one.reason}});
  if (!global.json_on_stdout())
    print_text(global, listing(kept) + fmt::format("\n{} of {} models\n", kept.size(),
                                                   catalogue.models.size()));
  std::fflush(stdout);
  for (const std::string& note : catalogue.notes) warn(global, "note: " + note);
  for (const PassedOver& one : without)
    warn(global, fmt::format("note: passed over {}: {}", one.name, one.reason));
  json["provenance"] = provenance_of(global, 1, monotonic_seconds() - started, {});
  write_json(global, json);
  return Exit::done;
}

}  // namespace

void add_hub_list(CLI::App& hub, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<HubListArgs>();
  CLI::App* cmd = hub.add_subcommand(
      "list", "what models there are, by their files and hub.json; nothing is opened or run");
  cmd->add_option("hub", args->inputs, "hub directories, networks or feature files")
      ->required()
      ->type_name("HUB|FILE...");
  cmd->add_option("--max-params", args->max_params, "at most so many parameters, such as 5e6")
      ->type_name("N");
  cmd->add_option("--max-ms", args->max_ms, "at most so many milliseconds per image")
      ->type_name("MS");
  cmd->add_option("--licence", args->licence, "this licence, such as apache-2.0")
      ->type_name("NAME");
  add_requirement_options(cmd, args->require);
  cmd->footer(
      "params, ms, licence, trained_on and static come from hub.json; - is not known, and what is "
      "not known\n"
      "does not pass a filter. The same conditions choose models in `assay rank --require`.\n"
      "Example: assay hub list hub/ --max-params 5e6 --licence apache-2.0");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_hub_list(*args, global); }; });
}

}  // namespace assay::cli
