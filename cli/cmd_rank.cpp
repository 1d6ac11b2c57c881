#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/rank.h"
#include "core/clock.h"
#include "data/subsample.h"
#include "data_options.h"
#include "evaluate/evaluate_datasets_report.h"
#include "evaluate/evaluate_report.h"
#include "evaluate/score_files.h"
#include "finish.h"
#include "html_output.h"
#include "rank/rank_moments.h"
#include "rank/rank_report.h"
#include "report/screen.h"
#include "report/table.h"
#include "requirement_options.h"
#include "search_options.h"
#include "shares.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct RankArgs {
  std::vector<std::filesystem::path> inputs;
  std::vector<std::filesystem::path> named;  // the inputs before --require
  std::filesystem::path labels;
  DataRequest data;
  bool soft_labels = false;
  bool source_weights = false;
  PactranSettings pactran;
  std::filesystem::path groups;
  std::filesystem::path truth;
  std::filesystem::path csv;
  std::filesystem::path html;
  std::string metric = "default";
  std::string by;
  double ci = 0.95;
  std::string center = "auto";
  bool accuracy = false;
  Index test_rows = 0;
  bool controls = false;
  bool refit = false;
  std::string jackknife = "closed";
  bool fixed_points = false;
  std::string subsample;
  Index knn_exact_rows = kKnnExactRows;
  SearchArgs search;
  RequirementArgs require;
  std::vector<Model> models;  // that --require leaves of files of features
  std::vector<std::filesystem::path> moments;
  bool allow_missing = false;
};

RankRequest request_of(const RankArgs& args, const GlobalOptions& global) {
  RankRequest request;
  request.inputs = args.inputs;
  request.labels = args.labels;
  request.soft_labels = args.soft_labels;
  request.source_weights = args.source_weights;
  request.pactran = args.pactran;
  request.groups = args.groups;
  request.hub.models = args.models;
  choose_metrics(request, args.metric, args.by);
  if (args.accuracy) show_accuracy_first(request);
  request.test_rows = args.test_rows;
  request.knn_exact_rows = args.knn_exact_rows;
  request.level = args.ci;
  if (args.center != "auto") request.center = args.center == "yes";
  request.controls = args.controls;
  request.refit = args.refit;
  if (args.jackknife == "refit") request.jackknife = Jackknife::refit;
  request.fixed_points = args.fixed_points || !args.html.empty();
  if (!args.subsample.empty()) {
    request.subsample = parse_subsample(args.subsample);
    request.level = 0.0;
  }
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  request.share = global.share;
  return request;
}

// What the metrics said, of one draw with --subsample, of all rows without (draw < 0).
std::vector<ScoreColumn> score_columns(const RankResult& result, Index draw) {
  std::vector<ScoreColumn> columns;
  for (std::size_t m = 0; m < result.metrics.size(); ++m) {
    ScoreColumn column{std::string(result.metrics[m]->name),
                       result.metrics[m]->direction == Direction::higher_is_better,
                       {}};
    for (const ScoredModel& model : result.models) {
      const MetricScore& score = model.scores[m];
      column.values[model.name] =
          draw < 0 ? score.score.value : score.draws[static_cast<std::size_t>(draw)];
    }
    columns.push_back(std::move(column));
  }
  if (!result.consensus.empty()) {
    const std::vector<double>& consensus =
        draw < 0 ? result.consensus : result.draw_consensus[static_cast<std::size_t>(draw)];
    ScoreColumn column{"consensus", false, {}};
    for (std::size_t i = 0; i < result.models.size(); ++i)
      column.values[result.models[i].name] = consensus[i];
    columns.push_back(std::move(column));
  }
  return columns;
}

std::map<std::string, double> dims_of(const RankResult& result) {
  std::map<std::string, double> dims;
  for (const ScoredModel& model : result.models) dims[model.name] = static_cast<double>(model.dim);
  return dims;
}

// How well the metrics predicted the truth; with --subsample, every draw is a data set of its own.
struct Judgement {
  std::string text;
  nlohmann::ordered_json json;
  std::vector<std::string> notes = {};
};

Judgement judge(const RankResult& result, Truth truth) {
  require_common_models(model_names(score_columns(result, -1)), truth);
  add_dim_baseline(truth, dims_of(result), {});
  if (result.draws == 0) {
    const Evaluation evaluation = evaluate(score_columns(result, -1), truth);
    nlohmann::ordered_json json = evaluation_json(evaluation, truth.column);
    add_evaluated_models(json, score_columns(result, -1), truth);
    return {evaluation_table(evaluation, truth.column, stdout_screen()), std::move(json),
            unmatched_notes(evaluation)};
  }
  std::vector<ComparedDataset> draws;
  for (Index draw = 0; draw < result.draws; ++draw)
    draws.push_back({fmt::format("draw {}", draw + 1), score_columns(result, draw), truth, {}});
  const EvaluationReport report{truth.column, "", {}, evaluate_many(draws)};
  return {evaluation_text(report, stdout_screen()), evaluation_json(report),
          unmatched_notes(report.result.datasets.front().evaluation)};
}

// Higher is better.
std::map<std::string, double> oriented(const std::optional<Truth>& truth) {
  std::map<std::string, double> out;
  if (!truth) return out;
  for (const auto& [name, value] : truth->values)
    out[name] = truth->higher_is_better ? value : -value;
  return out;
}

void add_truth_to_settings(nlohmann::ordered_json& json, const RankResult& result,
                           const std::map<std::string, double>& truth) {
  for (const auto& [metric, studies] : result.setting_studies) {
    nlohmann::ordered_json& settings = json["metrics"][std::string(metric->name)]["settings"];
    for (std::size_t k = 0; k < studies.size(); ++k) {
      const std::optional<double> tau = truth_agreement(result, metric, studies[k], truth);
      settings[k]["truth"] = tau ? nlohmann::ordered_json(*tau) : nlohmann::ordered_json(nullptr);
    }
  }
}

void print_result(const GlobalOptions& global, bool csv_on_stdout, const RankResult& result,
                  const std::optional<Judgement>& judgement,
                  const std::map<std::string, double>& truth) {
  if (global.json_on_stdout() || csv_on_stdout) return;
  print_text(global, rank_heading(result) + "\n" + rank_table(result, stdout_screen()) + "\n" +
                         wrap(rank_verdict(result), terminal_width()));
  if (judgement) print_text(global, "\n" + judgement->text);
  print_text(global, settings_table(result, truth, stdout_screen()));
  std::fflush(stdout);  // before the notes on stderr
}

// Metrics left out for the same reason share a line.
void warn_left_out(const GlobalOptions& global, const RankResult& result) {
  std::map<std::string, std::string> metrics_by_reason;
  for (const LeftOut& one : result.left_out) {
    std::string& names = metrics_by_reason[one.reason];
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.metric->name);
  }
  for (const auto& [reason, names] : metrics_by_reason)
    warn(global, fmt::format("note: left out {}: {}", names, reason));
}

void run_networks(ThreadPool& pool, const RankArgs& args, const GlobalOptions& global,
                  RankRequest& request) {
  if (!args.labels.empty())
    fail_input("--data brings its own labels; leave --labels out (it is for files of features)");
  TerminalProgress progress(global.quiet, LivePage(global, args.html));
  DataRequest data = with_global_options(args.data, global);
  data.subsample = request.subsample;
  request.hub = extract_inputs(pool, request.inputs, data, progress.callback()).hub;
}

// What a race cannot serve is refused, not passed over.
void require_race_options(const RankArgs& args) {
  if (args.metric != "default")
    fail_input("--metric: with --budget models are scored by one metric; name it with --by");
  if (!args.truth.empty())
    fail_input("--truth: with --budget most models have no score; leave it out");
  if (args.accuracy || args.test_rows > 0 || args.controls || args.refit || args.fixed_points)
    fail_input(
        "--accuracy, --test-rows, --controls, --refit and --fixed-points are about every model; "
        "leave them out with --budget, and ask for them when a few are left");
}

Exit run_budgeted_rank(const RankArgs& args, const GlobalOptions& global) {
  require_race_options(args);
  refuse_part(global, "a race takes its looks one after the other; leave --budget out");
  SearchRequest request{.rank = request_of(args, global),
                        .by = args.by.empty() ? nullptr : &find_metric(args.by),
                        .prior_ranking = args.search.prior_ranking};
  if (!args.data.data.empty()) {
    if (!args.labels.empty())
      fail_input("--data brings its own labels; leave --labels out (it is for files of features)");
    request.data = with_global_options(args.data, global);
  }
  return run_search(std::move(request), args.search, {args.csv, args.html, args.named}, global);
}

// What rows are needed for is refused, not passed over.
RankRequest moments_request(const RankArgs& args, const GlobalOptions& global) {
  if (!args.inputs.empty() || !args.labels.empty() || !args.data.data.empty())
    fail_input("--moments takes the place of features and labels; leave those out");
  if (!args.groups.empty() || !args.subsample.empty() || args.controls || args.accuracy ||
      args.soft_labels)
    fail_input(
        "--moments has no rows: --groups, --subsample, --controls, --accuracy and "
        "--soft-labels need features");
  refuse_part(global, "ranking moments takes seconds and is not shared out");
  RankArgs chosen = args;
  if (args.metric == "default") chosen.metric = "logme,hscore,hscore_shrunk";
  return request_of(chosen, global);
}

RankResult rank_files(ThreadPool& pool, const RankArgs& args, const GlobalOptions& global,
                      const RankRequest& request) {
  if (!args.moments.empty()) {
    std::vector<std::string> notes;
    const std::vector<NamedMoments> models =
        moments_of_models(args.moments, args.allow_missing, notes);
    RankResult result = rank_moments(pool, request, models);
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
    return result;
  }
  TerminalProgress progress(global.quiet, LivePage(global, args.html));
  return rank_hub(pool, request, progress.callback());
}

Exit run_rank(const RankArgs& args, const GlobalOptions& global) {
  require_budget(args.search);
  if (!args.search.budget.empty()) return run_budgeted_rank(args, global);
  const double started = monotonic_seconds();
  if (args.inputs.empty() && args.models.empty() && args.moments.empty())
    fail_input(
        "name a hub or feature files and --labels, networks and --data, or --moments; see "
        "`assay rank --help`");
  RankRequest request =
      args.moments.empty() ? request_of(args, global) : moments_request(args, global);
  check_html(args.html);
  std::vector<std::filesystem::path> files = args.named;
  files.insert(files.end(), args.moments.begin(), args.moments.end());
  files.insert(files.end(), {args.labels, args.groups, args.truth, args.data.data});
  check_outputs(global, {args.csv, args.html}, files);
  std::optional<Truth> truth;
  if (!args.truth.empty()) truth = read_truth(args.truth, {});
  ThreadPool pool(global.threads);
  if (!args.data.data.empty()) refuse_part(global, kRunNetworksFirst);
  if (!args.data.data.empty()) run_networks(pool, args, global, request);
  const RankResult result = rank_files(pool, args, global, request);
  std::optional<Judgement> judgement;
  if (truth) judgement = judge(result, *truth);
  const std::map<std::string, double> measured = oriented(truth);
  print_result(global, args.csv == "-", result, judgement, measured);
  warn_left_out(global, result);
  std::vector<std::string> notes = judgement ? judgement->notes : std::vector<std::string>{};
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  nlohmann::ordered_json json = rank_json(result);
  if (judgement) {
    json["evaluation"] = judgement->json;
    add_truth_to_settings(json, result, measured);
  }
  if (!args.csv.empty()) write_text(args.csv, rank_csv(result));
  std::vector<FileDigest> digests = ranked_inputs(result);
  if (!args.truth.empty()) digests.push_back({args.truth, file_digest(args.truth)});
  return finish(global, pool, started,
                {std::move(json), std::move(notes), result.failed, std::move(digests), args.html});
}

void add_inputs(CLI::App* cmd, RankArgs& args) {
  cmd->add_option("hub", args.inputs,
                  "a hub directory (NAME.npy|npz|h5|safetensors, NAME.00000.npy... shards, "
                  "NAME/features.*), "
                  "feature files, networks with --data, or several of these")
      ->type_name("HUB|FILE...");
  cmd->add_option("--moments", args.moments,
                  "in place of features and labels: files that `assay moments` wrote, those of one "
                  "model added up; for logme, hscore and hscore_shrunk")
      ->type_name("FILE.am...");
  cmd->add_flag("--allow-missing", args.allow_missing,
                "with --moments: rank although some rows are in no file");
  add_data_options(cmd, args.data);
  cmd->add_option("--labels", args.labels,
                  "one label per row: integers or text = classes, floats = regression, 2-D 0/1 = "
                  "multi-label "
                  "(.npy .npz .h5 .csv .txt)")
      ->type_name("FILE");
  cmd->add_flag("--soft-labels", args.soft_labels,
                "the labels are rows of probabilities, one column per class (2-D floats that sum "
                "to 1), not numbers to predict: for logme, leep, pactran_dirichlet and "
                "pactran_gamma; others see them as numbers");
}

void add_accuracy(CLI::App* cmd, RankArgs& args) {
  cmd->add_flag(
      "--accuracy", args.accuracy,
      "also predict the test accuracy of a tuned linear probe trained on all rows (R2 for "
      "numbers, average precision for several labels per row), as the first column");
  cmd->add_option("--test-rows", args.test_rows,
                  "rows of the test set the prediction will be compared with: its interval then "
                  "covers what is measured there")
      ->check(CLI::Range(Index{1}, Index{1} << 40))
      ->type_name("N");
}

void add_pactran(CLI::App* cmd, RankArgs& args) {
  constexpr const char* group = "PACTran (as the paper has it unless given)";
  cmd->add_option("--pactran-alpha", args.pactran.alpha,
                  "the Dirichlet and Gamma priors are this times the share of each class [1]")
      ->type_name("X")
      ->group(group);
  cmd->add_option("--pactran-beta", args.pactran.beta,
                  "pactran_gauss: beta, in units of the number of rows N [10]")
      ->type_name("X")
      ->group(group);
  cmd->add_option("--pactran-sigma2", args.pactran.sigma0_sq,
                  "pactran_gauss: sigma0^2, in units of 1 / D [100]")
      ->type_name("X")
      ->group(group);
  cmd->add_option("--pactran-lambda", args.pactran.lambda,
                  "lambda of the bounds in units of N; Dirichlet and Gamma [1]. The Gaussian's is "
                  "beta / sigma0^2: with one of the two given it decides the other, alone sigma0^2")
      ->type_name("X")
      ->group(group);
  cmd->add_flag("--source-weights", args.source_weights,
                "probs.* hold non-negative weights of the source classes that need not sum to 1; "
                "for pactran_gamma")
      ->group(group);
}

void add_outputs(CLI::App* cmd, RankArgs& args) {
  cmd->add_option("--truth", args.truth,
                  "CSV of measured accuracies (name,accuracy): also evaluate the ranking")
      ->type_name("FILE");
  cmd->add_flag("--fixed-points", args.fixed_points,
                "with logme: also how its iteration behaves for each class (in the JSON; --html "
                "shows it)");
  cmd->add_option("--csv", args.csv, "write the ranking as CSV; - is stdout, without the table")
      ->check(output_file_problem)
      ->type_name("FILE");
  add_html_option(cmd, args.html);
}

void add_choices(CLI::App* cmd, RankArgs& args) {
  cmd->add_option(
         "--metric", args.metric,
         "metrics, comma-separated, or 'all', or 'default' (logme, ridge_loo, knn, ncc_loo, "
         "ordered by their consensus); see `assay metrics`")
      ->capture_default_str()
      ->type_name("LIST");
  cmd->add_option("--by", args.by,
                  "order by this metric or by 'consensus' (default: the consensus of the default "
                  "metrics, or the first "
                  "metric named)")
      ->type_name("METRIC");
  cmd->add_option("--ci", args.ci,
                  "confidence level of score intervals, ranges and separations, such as "
                  "0.95 or 95; 0 = none")
      ->transform(CLI::Validator(read_confidence, ""))
      ->capture_default_str()
      ->type_name("LEVEL");
  cmd->add_option("--groups", args.groups,
                  "one group id per row; folds keep a group (a sentence's tokens, a video's "
                  "frames) together")
      ->type_name("FILE");
  cmd->add_option("--center", args.center,
                  "centre features and targets, i.e. fit an intercept (logme); linear, laplace and "
                  "pactran_gauss then see centred features. auto: for numbers and several labels "
                  "per row, not for classes; no: the paper's letter; bare: yes")
      ->check(CLI::IsMember({"auto", "yes", "no"}).description(""))
      ->capture_default_str()
      ->type_name("auto|yes|no");
  cmd->add_flag("--controls", args.controls,
                "also score pure noise, and the winner with permuted labels: what nothing looks "
                "like");
  cmd->add_option("--subsample", args.subsample,
                  "score several small stratified draws instead: 5/class:10 (rows per class : "
                  "draws) or 200:10 (rows : draws); means and spread. With --data only images that "
                  "are drawn go through the networks")
      ->type_name("N[/class]:DRAWS");
  cmd->add_option("--jackknife", args.jackknife,
                  "where intervals come from: closed = what every row (or group) adds, without a "
                  "second fit; refit = scores without each of 20 folds")
      ->check(CLI::IsMember({"closed", "refit"}).description(""))
      ->capture_default_str()
      ->type_name("closed|refit");
  cmd->add_option("--knn-exact-rows", args.knn_exact_rows,
                  "up to N rows knn looks up the neighbours of every one; beyond, those of N^2 / "
                  "rows of them among all, the same work, and gives its standard error")
      ->check(CLI::Range(Index{1000}, Index{1} << 40))
      ->capture_default_str()
      ->type_name("N");
  cmd->add_flag("--refit", args.refit,
                "intervals also for metrics that must be fitted again without each fold (slow)");
}

}  // namespace

void add_rank(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<RankArgs>();
  CLI::App* cmd =
      app.add_subcommand("rank", "score every model of a hub on labelled data and rank them");
  add_inputs(cmd, *args);
  add_choices(cmd, *args);
  add_accuracy(cmd, *args);
  add_pactran(cmd, *args);
  add_search_options(cmd, args->search);
  add_requirement_options(cmd, args->require);
  add_outputs(cmd, *args);
  cmd->footer(
      "Reads: rank 1 is best; 'range' is where the rank by this metric (or by the consensus) lies, "
      "each with the\n"
      "confidence level; models with 'tie' 1 are not separable from the winner. Which models are "
      "separable is in\n"
      "the JSON (separable_from). LogME is in nats per sample; 'gain' is what the features add "
      "over "
      "knowing\n"
      "nothing. Flags: uninformative (nothing learnt about that many "
      "target\n"
      "columns), interpolates (n <= D and anything fits), exact_fit, skipped_columns (constant).\n"
      "Example: assay rank hub/ --labels labels.npy --truth truth.csv --html report.html");
  cmd->callback([args, &global, &run] {
    run = [args, &global] {
      args->named = args->inputs;
      AllowedInputs allowed = allowed_inputs(global, args->require, args->inputs, args->labels,
                                             !args->data.data.empty());
      args->inputs = std::move(allowed.inputs);
      args->models = std::move(allowed.models);
      return run_rank(*args, global);
    };
  });
}

}  // namespace assay::cli
