#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "assay/digest.h"
#include "core/clock.h"
#include "core/text.h"
#include "html_output.h"
#include "report/html_page.h"
#include "report/result_folder.h"

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

// A folder stands for the results in it.
std::vector<PageResult> read_results(const ReportArgs& args, const GlobalOptions& global) {
  std::vector<PageResult> results;
  for (const std::filesystem::path& input : args.results) {
    if (!std::filesystem::is_directory(input)) {
      results.push_back(read_page_result(input));
      continue;
    }
    ResultFolder folder = read_result_folder(input);
    for (PageResult& one : folder.results) results.push_back(std::move(one));
    for (const std::string& reason : folder.passed_over)
      warn(global, "note: passed over: " + in_options(global, reason));
  }
  return results;
}

PageLayout layout_of(const ReportArgs& args) {
  const bool folders = std::ranges::any_of(
      args.results, [](const auto& input) { return std::filesystem::is_directory(input); });
  return folders ? PageLayout::gallery : PageLayout::all;
}

Exit run_report(const ReportArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  check_html(args.html);
  check_outputs(global, {args.html}, args.results);
  const std::vector<PageResult> results = read_results(args, global);
  std::vector<FileDigest> digests;
  for (const PageResult& one : results) {
    if (std::filesystem::is_regular_file(one.source))
      digests.push_back({one.source, file_digest(one.source)});
  }
  write_html_page(args.html, results, layout_of(args));
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
  CLI::App* cmd = app.add_subcommand(
      "report", "one page of several results: compare runs, or a gallery of a folder");
  cmd->add_option(
         "results", args->results,
         "results that --json wrote: rank, evaluate, curve, prior, robust, tune; or folders "
         "of them")
      ->required()
      ->type_name("RESULT.json|DIR...");
  add_html_option(cmd, args->html);
  cmd->get_option("--html")->required();
  cmd->footer(
      "The page is one file: it can be mailed, needs no network and prints well.\n"
      "Several runs of the same models are compared: ranks, verdicts, what differed in how they\n"
      "were run. A folder becomes a gallery: one card per result.\n"
      "Examples: assay report rank.json curve.json --html report.html\n"
      "          assay report monday.json tuesday.json --html compared.html\n"
      "          assay report runs/ --html gallery.html");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_report(*args, global); }; });
}

}  // namespace assay::cli
