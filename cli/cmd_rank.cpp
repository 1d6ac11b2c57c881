#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/rank.h"
#include "core/clock.h"
#include "evaluate/evaluate_datasets_report.h"
#include "evaluate/evaluate_report.h"
#include "evaluate/score_files.h"
#include "finish.h"
#include "html_output.h"
#include "rank/rank_moments.h"
#include "rank/rank_report.h"
#include "rank_options.h"
#include "report/screen.h"
#include "report/table.h"
#include "shares.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

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
  SearchRequest request{.rank = rank_request(args, global),
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
  return rank_request(chosen, global);
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
      args.moments.empty() ? rank_request(args, global) : moments_request(args, global);
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

}  // namespace

void add_rank(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<RankArgs>();
  CLI::App* cmd =
      app.add_subcommand("rank", "score every model of a hub on labelled data and rank them");
  add_rank_options(cmd, *args);
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
