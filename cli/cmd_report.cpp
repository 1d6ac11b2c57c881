#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "assay/digest.h"
#include "core/clock.h"
#include "core/text.h"
#include "html_output.h"
#include "report/html_page.h"

namespace assay::cli {
namespace {

struct ReportArgs {
  std::vector<std::filesystem::path> results;
  std::filesystem::path html;
};

nlohmann::ordered_json report_json(const ReportArgs& args, const std::vector<PageResult>& results) {
  nlohmann::ordered_json json = {{"command", "report"},
                                 {"html", args.html.string()},
                                 {"results", nlohmann::ordered_json::array()}};
  for (const PageResult& one : results)
    json["results"].push_back({{"file", one.source}, {"kind", page_kind(one.result, one.source)}});
  return json;
}

Exit run_report(const ReportArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  check_html(args.html);
  check_outputs(global, {args.html}, args.results);
  std::vector<PageResult> results;
  std::vector<FileDigest> digests;
  for (const std::filesystem::path& file : args.results) {
    results.push_back(read_page_result(file));
    if (std::filesystem::is_regular_file(file)) digests.push_back({file, file_digest(file)});
  }
  write_html_page(args.html, results);
  if (!global.json_on_stdout() && std::filesystem::is_regular_file(args.html)) {
    show("{}: {} result{}, {}\n", args.html.string(), results.size(),
         results.size() == 1 ? "" : "s",
         human_bytes(static_cast<double>(std::filesystem::file_size(args.html))));
  }
  nlohmann::ordered_json json = report_json(args, results);
  json["provenance"] = provenance_of(global, 1, monotonic_seconds() - started, digests);
  write_json(global, json);
  return Exit::done;
}

}  // namespace

void add_report(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<ReportArgs>();
  CLI::App* cmd = app.add_subcommand("report", "one page with charts of several results");
  cmd->add_option("results", args->results,
                  "results that --json wrote: rank, evaluate, curve, prior, robust, tune")
      ->required()
      ->type_name("RESULT.json...");
  add_html_option(cmd, args->html);
  cmd->get_option("--html")->required();
  cmd->footer(
      "The page is one file: it can be mailed, needs no network and prints well.\n"
      "Example: assay report rank.json curve.json --html report.html");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_report(*args, global); }; });
}

}  // namespace assay::cli
