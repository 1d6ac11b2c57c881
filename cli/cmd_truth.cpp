#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "assay/truth.h"
#include "core/clock.h"
#include "data_options.h"
#include "evaluate/truth_report.h"
#include "finish.h"
#include "report/screen.h"
#include "shares.h"
#include "terminal_progress.h"
#include "tune/finetuned_truth.h"
#include "tune_options.h"

namespace assay::cli {
namespace {

struct TruthArgs {
  TruthRequest request;
  DataRequest data;
  TrainingArgs training;
  std::string protocol = "probe";
  std::string grid;
  std::filesystem::path out;
};

// "RATE,...[:DECAY,...]".
// Gives the rates.
std::string apply_grid(const std::string& grid, TuneSettings& settings) {
  if (grid.empty()) return {};
  const std::size_t colon = grid.find(':');
  const auto numbers = [](const std::string& list) {
    return numbers_in(list, "--grid", "numbers such as 0.01,0.001");
  };
  settings.rates = numbers(grid.substr(0, colon));
  if (colon != std::string::npos) settings.decays = numbers(grid.substr(colon + 1));
  return grid.substr(0, colon);
}

TruthResult finetuned(ThreadPool& pool, const TruthArgs& args, const GlobalOptions& global) {
  if (args.data.data.empty() || !args.request.labels.empty())
    fail_input("--protocol finetune and best train networks on images: name them with --data");
  refuse_part(global,
              "fine-tuning is not shared out; measure probes, or give each part a hub of its own");
  TrainingArgs training = args.training;
  const std::string named = apply_grid(args.grid, training.settings);
  if (!named.empty()) training.rates = named;
  training.settings.runs = args.request.runs;
  const FinetuneRequest request{args.request.inputs, with_global_options(args.data, global),
                                with_global_options(training, global)};
  TerminalProgress progress(global.quiet);
  return finetuned_truth(pool, request, progress.callback());
}

TruthResult probed(ThreadPool& pool, const TruthArgs& args, const GlobalOptions& global) {
  if (args.request.test_inputs.empty() != args.request.test_labels.empty())
    fail_input("--test and --test-labels go together: features of test samples and their labels");
  if (args.request.labels.empty() == args.data.data.empty())
    fail_input("name either --labels, one per row of features, or --data, images for networks");
  if (!args.data.data.empty() && !args.request.test_inputs.empty())
    fail_input("--test is for features; with --data the test part of the data set is used");
  TruthRequest request = args.request;
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  request.share = global.share;
  if (!args.data.data.empty()) {
    refuse_part(global, kRunNetworksFirst);
    ExtractedParts parts = run_networks(pool, request.inputs, args.data, global);
    request.hub = std::move(parts.train.hub);
    // Without a test part the rows are split as they always are.
    if (parts.test) request.test_hub = std::move(parts.test->hub);
  }
  TerminalProgress progress(global.quiet);
  return probe_truth(pool, request, progress.callback());
}

TruthResult measured(ThreadPool& pool, const TruthArgs& args, const GlobalOptions& global) {
  if (args.protocol == "probe") return probed(pool, args, global);
  if (args.protocol == "finetune") return finetuned(pool, args, global);
  TruthResult trained = finetuned(pool, args, global);  // complains first of what it cannot train
  return best_truth(probed(pool, args, global), std::move(trained));
}

Exit run_truth(const TruthArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  std::vector<std::filesystem::path> inputs = args.request.inputs;
  inputs.insert(inputs.end(), args.request.test_inputs.begin(), args.request.test_inputs.end());
  inputs.insert(inputs.end(), {args.request.labels, args.request.test_labels, args.data.data});
  check_outputs(global, {args.out}, inputs);
  ThreadPool pool(global.threads);
  const TruthResult result = measured(pool, args, global);
  if (!global.json_on_stdout() && args.out != "-")
    print_text(global, truth_table(result, stdout_screen()));
  if (!args.out.empty()) write_text(args.out, truth_csv(result));
  return finish(global, pool, started,
                {truth_json(result, args.protocol), {}, result.failed, result.inputs});
}

}  // namespace

void add_truth(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<TruthArgs>();
  CLI::App* cmd = app.add_subcommand("truth",
                                     "measure what a ranking should have said: test accuracy (R2 "
                                     "of numbers) of linear probes or fine-tuning");
  cmd->add_option("hub", args->request.inputs,
                  "training features, or networks with --data: a hub directory or files")
      ->required()
      ->type_name("HUB|FILE...");
  cmd->add_option("--labels", args->request.labels,
                  "one class per row, or numbers, or several 0/1 labels")
      ->type_name("FILE");
  add_data_options(cmd, args->data);
  cmd->add_option("--test", args->request.test_inputs,
                  "test features of the same models, by the same names (default: split the rows)")
      ->type_name("HUB|FILE...");
  cmd->add_option("--test-labels", args->request.test_labels, "their labels")->type_name("FILE");
  cmd->add_option("--test-share", args->request.test_share,
                  "share of the rows to test on when there are no test features")
      ->check(CLI::Range(0.01, 0.99))
      ->capture_default_str();
  cmd->add_option("--protocol", args->protocol,
                  "how to measure; best: both, and the better of the two for each model")
      ->check(CLI::IsMember({"probe", "finetune", "best"}))
      ->capture_default_str();
  cmd->add_option("--runs", args->request.runs, "runs with different random splits")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  cmd->add_option("--grid", args->grid,
                  "learning rates, perhaps with weight decays, to choose among by validation; for "
                  "finetune")
      ->type_name("R,...[:W,...]");
  add_training_options(cmd, args->training);
  cmd->add_option(
         "--out", args->out,
         "write truth.csv for `evaluate` and `rank --truth`; - is stdout, without the table")
      ->check(output_file_problem)
      ->type_name("FILE");
  cmd->footer(
      "A probe is logistic regression on standardised features, its penalty tuned on a fifth of "
      "the training rows.\n"
      "Of numbers it is ridge regression, measured by R2 (mean over columns), of several labels "
      "per "
      "row by mean\n"
      "average precision; the column is called accuracy all the same, as `evaluate` expects.\n"
      "Runs differ in those rows and, without --test, in the rows tested (the same for every "
      "model).\n"
      "finetune trains every network (--epochs, --lr, ...; see `assay tune`).\n"
      "Example: assay truth hub/ --labels labels.npy --runs 5 --out truth.csv\n"
      "         assay truth hub/ --data flowers/ --protocol finetune --grid 0.01,0.001:0,0.0005");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_truth(*args, global); }; });
}

}  // namespace assay::cli
