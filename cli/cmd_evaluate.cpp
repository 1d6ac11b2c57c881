#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "core/clock.h"
#include "core/text.h"
#include "evaluate/comparison_files.h"
#include "evaluate/evaluate_datasets_report.h"
#include "evaluate/evaluate_verdict.h"
#include "html_output.h"
#include "report/screen.h"
#include "report/table.h"

namespace assay::cli {
namespace {

struct EvaluateArgs {
  std::vector<std::filesystem::path> scores;
  std::vector<std::filesystem::path> truth;
  std::string truth_column;
  std::string static_columns;
  std::string lower_is_better;
  std::string group;
  std::string bands;
  std::filesystem::path html;
};

std::vector<std::string> names_of(const std::string& list) {
  return list.empty() ? std::vector<std::string>{} : split_list(list);
}

std::vector<FileDigest> digests_of(const EvaluateArgs& args) {
  std::vector<FileDigest> digests;
  for (const auto* paths : {&args.scores, &args.truth}) {
    for (const auto& path : *paths) {
      digests.push_back({path, file_digest(path)});
    }
  }
  return digests;
}

EvaluationReport report_of(const EvaluateArgs& args) {
  if (!args.bands.empty() && args.group.empty())
    fail_input("--bands: bands of what? name the column with --group");
  ComparedFiles comparison =
      read_comparison({.scores = args.scores,
                       .truth = args.truth,
                       .options = {.column = args.truth_column,
                                   .static_columns = names_of(args.static_columns),
                                   .lower_is_better = names_of(args.lower_is_better),
                                   .group_column = args.group,
                                   .bands = args.bands.empty() ? std::vector<GroupBand>{}
                                                               : parse_bands(args.bands)}});
  ManyEvaluation result = evaluate_many(comparison.datasets);
  const std::string truth_column = comparison.datasets.front().truth.column;
  return {truth_column, args.group, std::move(comparison), std::move(result)};
}

Exit run_evaluate(const EvaluateArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  check_html(args.html);
  std::vector<std::filesystem::path> inputs = args.scores;
  inputs.insert(inputs.end(), args.truth.begin(), args.truth.end());
  check_outputs(global, {args.html}, inputs);
  const EvaluationReport report = report_of(args);
  const std::string verdict = evaluation_verdict(report);
  if (!global.json_on_stdout())
    print_text(global,
               evaluation_text(report, stdout_screen()) + "\n" + wrap(verdict, terminal_width()));
  for (const std::string& note : evaluation_notes(report)) warn(global, "note: " + note);
  nlohmann::ordered_json json = evaluation_with_verdict_json(report);
  json["provenance"] = provenance_of(global, 1, monotonic_seconds() - started, digests_of(args));
  write_json(global, json);
  write_html(global, args.html, json);
  return Exit::done;
}

}  // namespace

void add_evaluate(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<EvaluateArgs>();
  CLI::App* cmd =
      app.add_subcommand("evaluate", "how well did the metrics predict the measured truth?");
  cmd->add_option(
         "--scores", args->scores,
         "results of `assay rank --json` or `assay robust score --json`, or CSV: name, then one "
         "column per metric; one file per data set, or a column dataset")
      ->required()
      ->type_name("JSON|CSV");
  cmd->add_option("--truth", args->truth,
                  "CSV: name, accuracy, and optionally params, upstream, dim as baselines to beat; "
                  "as many files as --scores, or a column dataset")
      ->required()
      ->type_name("CSV");
  cmd->add_option("--truth-column", args->truth_column,
                  "the column that is the truth (default: accuracy)")
      ->type_name("NAME");
  cmd->add_option("--static", args->static_columns, "further truth columns to show as baselines")
      ->type_name("LIST");
  cmd->add_option("--lower-is-better", args->lower_is_better,
                  "columns (metrics or the truth) where less is better")
      ->type_name("LIST");
  cmd->add_option("--group", args->group,
                  "also by the values of this truth column: groups of data sets, or of models "
                  "within a data set where it differs between them; classes are banded")
      ->type_name("COLUMN");
  cmd->add_option("--bands", args->bands,
                  "put the numbers of --group into these bands, edges included (classes without "
                  "it: 2, 3-10, 11-50, 51-200, >200)")
      ->type_name("2-9,10-99,100+");
  add_html_option(cmd, args->html);
  cmd->footer(
      "Reads: tau (Kendall's tau-a) is the agreement of two orders, 1 = the same, 0 = none, -1 = "
      "reversed; 'pairs "
      "right' is how\n"
      "often of two models the better one got the better score; weighted tau counts the top of the "
      "list\n"
      "more; regret is the truth lost by taking the metric's first (or best of three) instead of "
      "the best.\n"
      "Several data sets are evaluated one by one and averaged, each counting the same.\n"
      "Example: assay evaluate --scores rank.json --truth truth.csv --static latency "
      "--lower-is-better latency\n"
      "Example: assay evaluate --scores pets.json cars.json --truth pets_truth.csv cars_truth.csv "
      "--group classes");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_evaluate(*args, global); }; });
}

}  // namespace assay::cli
