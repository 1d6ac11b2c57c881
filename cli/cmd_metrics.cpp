#include <fmt/format.h>

#include "assay/metric.h"
#include "common.h"
#include "report/screen.h"
#include "report/table.h"

namespace assay::cli {
namespace {

const char* direction_name(const Metric& metric) {
  return metric.direction == Direction::higher_is_better ? "higher" : "lower";
}

Exit run_metrics(const GlobalOptions& global) {
  TextTable table;
  for (const char* title : {"metric", "better", "unit", "needs", "what it is", "paper"}) {
    table.add_column(title, Align::left);
  }
  nlohmann::ordered_json json;
  json["metrics"] = nlohmann::ordered_json::array();
  for (const Metric& metric : all_metrics()) {
    table.add_row({std::string(metric.name), direction_name(metric), std::string(metric.unit),
                   std::string(metric.needs), std::string(metric.summary),
                   std::string(metric.reference)});
    json["metrics"].push_back({{"name", metric.name},
                               {"title", metric.title},
                               {"direction", direction_name(metric)},
                               {"unit", metric.unit},
                               {"needs", metric.needs},
                               {"summary", metric.summary},
                               {"reference", metric.reference}});
  }
  json["provenance"] = provenance_of(global, global.threads, 0.0, {});
  if (!global.json_on_stdout()) print_text(global, table.str(stdout_screen()));
  write_json(global, json);
  return Exit::done;
}

}  // namespace

void add_metrics(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* cmd =
      app.add_subcommand("metrics", "list every metric: direction, unit, what it needs, its paper");
  cmd->callback([&global, &run] { run = [&global] { return run_metrics(global); }; });
}

}  // namespace assay::cli
