#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "assay/core/progress.h"
#include "assay/io/atomic_file.h"
#include "assay/pipeline/rank_hub.h"
#include "assay/rank/score_files.h"
#include "assay/report/evaluate_report.h"
#include "assay/report/rank_report.h"
#include "assay/report/table.h"
#include "common.h"

namespace assay::cli {
namespace {

struct RankArgs {
  std::vector<std::filesystem::path> inputs;
  std::filesystem::path labels;
  std::filesystem::path groups;
  std::filesystem::path truth;
  std::filesystem::path csv;
  std::string metric = "default";
  std::string by;
  double ci = 0.95;
  bool center = false;
  bool controls = false;
};

// CLI11's Range lets NaN pass.
std::string is_level(const std::string& text) {
  std::string problem = CLI::Range(0.0, 0.9999)(text);
  if (!problem.empty()) return problem;
  return std::isnan(std::stod(text)) ? "--ci must be a number between 0 and 0.9999" : "";
}

RankRequest request_of(const RankArgs& args, const GlobalOptions& global) {
  RankRequest request;
  request.inputs = args.inputs;
  request.labels = args.labels;
  request.groups = args.groups;
  request.metrics = parse_metrics(args.metric);
  if (!args.by.empty()) {
    request.by = &find_metric(args.by);
    if (std::find(request.metrics.begin(), request.metrics.end(), request.by) ==
        request.metrics.end()) {
      request.metrics.push_back(request.by);
    }
  }
  request.level = args.ci;
  request.center = args.center;
  request.controls = args.controls;
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  return request;
}

std::vector<ScoreColumn> score_columns(const RankResult& result) {
  std::vector<ScoreColumn> columns;
  for (std::size_t m = 0; m < result.metrics.size(); ++m) {
    ScoreColumn column{std::string(result.metrics[m]->name),
                       result.metrics[m]->direction == Direction::higher_is_better,
                       {}};
    for (const ScoredModel& model : result.models)
      column.values[model.name] = model.scores[m].score.value;
    columns.push_back(std::move(column));
  }
  return columns;
}

std::map<std::string, double> dims_of(const RankResult& result) {
  std::map<std::string, double> dims;
  for (const ScoredModel& model : result.models) dims[model.name] = static_cast<double>(model.dim);
  return dims;
}

std::vector<FileDigest> all_inputs(const RankResult& result) {
  std::vector<FileDigest> inputs = result.inputs;
  for (const ScoredModel& model : result.models) {
    inputs.insert(inputs.end(), model.digests.begin(), model.digests.end());
  }
  return inputs;
}

void print_result(const GlobalOptions& global, const RankResult& result,
                  const std::optional<Evaluation>& evaluation, const std::string& truth_column) {
  if (global.json_on_stdout()) return;
  fmt::print("{}\n{}\n{}", rank_heading(result), rank_table(result),
             wrap(rank_verdict(result), terminal_width()));
  if (evaluation) fmt::print("\n{}", evaluation_table(*evaluation, truth_column));
}

Exit run_rank(const RankArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  const RankRequest request = request_of(args, global);
  std::optional<Truth> truth;
  if (!args.truth.empty()) truth = read_truth(args.truth, {});
  ThreadPool pool(global.threads);
  RankResult result;
  {
    TerminalProgress progress(global.quiet);
    result = rank_hub(pool, request, progress.callback());
  }
  std::optional<Evaluation> evaluation;
  const std::string truth_column = truth ? truth->column : "";
  if (truth) {
    const std::vector<ScoreColumn> columns = score_columns(result);
    require_common_models(model_names(columns), *truth);
    add_dim_baseline(*truth, dims_of(result), {});
    evaluation = evaluate(columns, *truth);
  }
  print_result(global, result, evaluation, truth_column);
  for (const std::string& note : result.notes) warn(global, "note: " + note);
  for (const FailedModel& failed : result.failed) {
    fmt::print(stderr, "assay: error: model '{}' left out: {}\n", failed.name, failed.error);
  }
  nlohmann::ordered_json json = rank_json(result);
  if (evaluation) json["evaluation"] = evaluation_json(*evaluation, truth_column);
  json["provenance"] = provenance_json(
      {global.command_line, global.seed, pool.threads(), monotonic_seconds() - started},
      all_inputs(result));
  if (!args.csv.empty()) write_file_atomically(args.csv, {rank_csv(result)});
  write_json(global, json);
  return result.failed.empty() ? Exit::done : Exit::failed_on_the_way;
}

}  // namespace

void add_rank(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<RankArgs>();
  CLI::App* cmd =
      app.add_subcommand("rank", "score every model of a hub on labelled data and rank them");
  cmd->add_option("hub", args->inputs,
                  "a hub directory (NAME.npy|npz|h5|safetensors, NAME.00000.npy... shards, "
                  "NAME/features.*), "
                  "feature files, or several of these")
      ->required()
      ->type_name("HUB|FILE...");
  cmd->add_option("--labels", args->labels,
                  "one label per row: integers or text = classes, floats = regression, 2-D 0/1 = "
                  "multi-label "
                  "(.npy .npz .h5 .csv .txt)")
      ->type_name("FILE");
  cmd->add_option("--metric", args->metric,
                  "metrics, comma-separated, or 'default' or 'all'; see `assay metrics`")
      ->capture_default_str()
      ->type_name("LIST");
  cmd->add_option("--by", args->by, "order by this metric (default: the first one)")
      ->type_name("METRIC");
  cmd->add_option(
         "--ci", args->ci,
         "confidence level of score and rank intervals (20-fold jackknife); 0 = none, faster")
      ->check(is_level)
      ->capture_default_str()
      ->type_name("LEVEL");
  cmd->add_option("--groups", args->groups,
                  "one group id per row; folds keep a group (a sentence's tokens, a video's "
                  "frames) together")
      ->type_name("FILE");
  cmd->add_flag("--center", args->center, "centre features and targets, i.e. fit an intercept");
  cmd->add_flag("--controls", args->controls,
                "also score pure noise of the largest dimension, to read scores against");
  cmd->add_option("--truth", args->truth,
                  "CSV of measured accuracies (name,accuracy): also evaluate the ranking")
      ->type_name("FILE");
  cmd->add_option("--csv", args->csv, "write the ranking as CSV")->type_name("FILE");
  cmd->footer(
      "Reads: rank 1 is best; 'range' is where the true rank lies at the confidence level; models "
      "with the\n"
      "same 'tie' number as the winner cannot be told from it. LogME is in nats per sample; 'gain' "
      "is what\n"
      "the features add over knowing nothing. Flags: uninformative (nothing learnt about that many "
      "target\n"
      "columns), interpolates (n <= D and anything fits), exact_fit, skipped_columns (constant).\n"
      "Example: assay rank hub/ --labels labels.npy --truth truth.csv --json rank.json");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_rank(*args, global); }; });
}

}  // namespace assay::cli
