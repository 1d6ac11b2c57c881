#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common.h"
#include "core/clock.h"
#include "extract/check_networks.h"
#include "extract/check_report.h"
#include "report/screen.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

using Inputs = std::vector<std::filesystem::path>;

void print_findings(const HubCheck& check, const GlobalOptions& global) {
  for (const CheckedNetwork& network : check.networks) {
    if (!network.error.empty()) {
      complain("assay: error: network '{}': {}\n", network.description.name,
               in_options(global, network.error));
    }
  }
  for (const FailedNetwork& failed : check.failed)
    complain("assay: error: network '{}': {}\n", failed.name, in_options(global, failed.error));
  for (const std::string& note : check.notes) warn(global, note);
}

Exit run_hub_check(const Inputs& inputs, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  check_outputs(global, {}, inputs);
  HubCheck check;
  {
    TerminalProgress progress(global.quiet);
    check = check_hub(inputs, progress.callback());
  }
  if (!global.json_on_stdout()) print_text(global, hub_check_table(check, stdout_screen()));
  std::fflush(stdout);
  print_findings(check, global);
  nlohmann::ordered_json json = hub_check_json(check);
  json["provenance"] = provenance_of(global, 1, monotonic_seconds() - started, {});
  write_json(global, json);
  if (check.all_good()) return Exit::done;
  return check.any_usable() ? Exit::failed_on_the_way : Exit::bad_input;
}

}  // namespace

void add_hub(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* hub = app.add_subcommand("hub", "look after the networks of a hub");
  hub->require_subcommand(1);
  hub->fallthrough();
  hub->footer("Examples: assay hub check hub/\n          assay hub list hub/ --max-params 5e6");
  add_hub_list(*hub, global, run);
  auto inputs = std::make_shared<Inputs>();
  CLI::App* cmd = hub->add_subcommand(
      "check", "validate hub.json and run one image through every network of a hub");
  cmd->add_option("hub", *inputs, "hub directories, or network files (.pt, .onnx)")
      ->required()
      ->type_name("HUB|FILE...");
  cmd->footer(
      "D is the number of features, ms/image the time of one image on one thread.\n"
      "Exit code: 0 all networks are usable, 1 some are not, 2 none is.\n"
      "Example: assay hub check hub/");
  cmd->callback([inputs, &global, &run] {
    run = [inputs, &global] { return run_hub_check(*inputs, global); };
  });
}

}  // namespace assay::cli
