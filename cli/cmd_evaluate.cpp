#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "assay/core/progress.h"
#include "assay/core/text.h"
#include "assay/io/digest.h"
#include "assay/rank/score_files.h"
#include "assay/report/evaluate_report.h"
#include "common.h"

namespace assay::cli {
namespace {

struct EvaluateArgs {
  std::filesystem::path scores;
  std::filesystem::path truth;
  std::string truth_column;
  std::string static_columns;
  std::string lower_is_better;
};

std::vector<std::string> names_of(const std::string& list) {
  return list.empty() ? std::vector<std::string>{} : split_list(list);
}

Exit run_evaluate(const EvaluateArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  const std::vector<std::string> lower = names_of(args.lower_is_better);
  const std::vector<ScoreColumn> scores = read_scores(args.scores, lower);
  const Truth truth =
      read_truth(args.truth, {args.truth_column, names_of(args.static_columns), lower});
  require_common_models(model_names(scores), truth);
  require_known_columns(lower, scores, truth);
  const Evaluation evaluation = evaluate(scores, truth);
  if (!global.json_on_stdout()) fmt::print("{}", evaluation_table(evaluation, truth.column));
  if (!evaluation.only_in_scores.empty()) {
    warn(global, fmt::format("note: no truth for {}; left out",
                             fmt::join(evaluation.only_in_scores, ", ")));
  }
  if (!evaluation.only_in_truth.empty()) {
    warn(global, fmt::format("note: no scores for {}; left out",
                             fmt::join(evaluation.only_in_truth, ", ")));
  }
  nlohmann::ordered_json json = evaluation_json(evaluation, truth.column);
  json["provenance"] = provenance_json(
      {global.command_line, global.seed, 1, monotonic_seconds() - started},
      {{args.scores, file_digest(args.scores)}, {args.truth, file_digest(args.truth)}});
  write_json(global, json);
  return Exit::done;
}

}  // namespace

void add_evaluate(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<EvaluateArgs>();
  CLI::App* cmd =
      app.add_subcommand("evaluate", "how well did the metrics predict the measured truth?");
  cmd->add_option("--scores", args->scores,
                  "result of `assay rank --json`, or CSV: name, then one column per metric")
      ->required()
      ->type_name("JSON|CSV");
  cmd->add_option("--truth", args->truth,
                  "CSV: name, accuracy, and optionally params, upstream as baselines to beat")
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
  cmd->footer(
      "Reads: tau (Kendall's tau-a) is the agreement of two orders, 1 = the same, 0 = none, -1 = "
      "reversed; 'pairs "
      "right' is how\n"
      "often of two models the better one got the better score; weighted tau counts the top of the "
      "list\n"
      "more; regret is the truth lost by taking the metric's first (or best of three) instead of "
      "the best.\n"
      "Example: assay evaluate --scores rank.json --truth truth.csv --static latency "
      "--lower-is-better latency");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_evaluate(*args, global); }; });
}

}  // namespace assay::cli
