#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/clock.h"
#include "core/text.h"
#include "data_options.h"
#include "finish.h"
#include "html_output.h"
#include "report/screen.h"
#include "report/table.h"
#include "terminal_progress.h"
#include "tune/tune_report.h"
#include "tune_options.h"

namespace assay::cli {
namespace {

struct TuneArgs {
  TuneRequest request;
  TrainingArgs training;
  std::string methods = "b-tuning";
  std::string lambdas = "auto";
  std::string teacher_fit = "leave-one-out";
  double budget = 0.0;
  std::filesystem::path html;
};

void print_tuning(const GlobalOptions& global, const TuneResult& result) {
  show("{} on {}: {} training, {} validation, {} test images\n", result.target, result.dataset,
       with_thousands(result.train), with_thousands(result.validation),
       with_thousands(result.test));
  if (result.searched_validation > 0)
    show("settings were searched on {} of the training images, held back meanwhile\n",
         with_thousands(result.searched_validation));
  for (const WeightedSet& set : result.teacher_sets) {
    std::string members;
    for (std::size_t k = 0; k < set.names.size(); ++k)
      members += fmt::format("{}{} {:.2f}", k == 0 ? "" : ", ", set.names[k], set.weights[k]);
    show("teachers {}: {}\n", set.label, members);
  }
  if (result.summaries.empty()) return;
  print_text(global, "\n" + tune_table(result, stdout_screen()) + "\n" +
                         wrap(tune_verdict(result), terminal_width()) + "\n");
}

// A search of lambda comes with one of the learning rate: fine-tuning is to have as many trials.
bool searches_lambda(const TuneRequest& request) {
  const auto open = [](const LambdaChoice& choice) { return !choice.value; };
  const auto penalised = [](TuneMethod method) {
    return method != TuneMethod::finetune && method != TuneMethod::zoo;
  };
  return std::ranges::any_of(request.methods, penalised) &&
         std::ranges::any_of(request.settings.lambdas, open);
}

Exit run_tune(const TuneArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  check_html(args.html);
  TuneRequest request = args.request;
  std::vector<std::filesystem::path> inputs = request.inputs;
  inputs.push_back(request.data.data);
  check_outputs(global, {args.html, request.targets_file}, inputs);
  request.data = with_global_options(request.data, global);
  request.settings = with_global_options(args.training, global);
  request.methods = parse_methods(args.methods);
  request.settings.lambdas = parse_lambdas(args.lambdas);
  if (args.training.rates.empty() && searches_lambda(request)) request.settings.rates.clear();
  if (args.budget > 0.0) request.settings.budget_minutes = args.budget;
  request.teacher_fit =
      args.teacher_fit == "in-sample" ? TeacherFit::in_sample : TeacherFit::leave_one_out;
  request.memory_limit = global.memory_bytes();
  ThreadPool pool(global.threads);
  TuneResult result;
  {
    TerminalProgress progress(global.quiet, LivePage(global, args.html));
    result = tune_hub(pool, request, progress.callback());
  }
  if (!global.json_on_stdout()) print_tuning(global, result);
  return finish(global, pool, started,
                {tune_json(result), result.notes, result.failed, result.inputs, args.html});
}

void add_inputs(CLI::App* cmd, TuneRequest& request) {
  cmd->add_option("hub", request.inputs, "networks: a hub directory or files")
      ->required()
      ->type_name("HUB|FILE...");
  cmd->add_option("--target", request.target, "the network to tune; best: the first by LogME")
      ->required()
      ->type_name("NAME|best");
  add_training_data_options(cmd, request.data);
}

}  // namespace

void add_tune(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<TuneArgs>();
  CLI::App* cmd = app.add_subcommand(
      "tune", "tune the network you must ship with the ones you would rather ship (B-Tuning)");
  add_inputs(cmd, args->request);
  cmd->add_option("--teachers", args->request.teachers,
                  "top:K by LogME, all, names, sweep:1..K (a set for each K) or combinations:K; "
                  "several sets with ';' between them")
      ->capture_default_str()
      ->type_name("TEACHERS");
  cmd->add_option("--method", args->methods,
                  "b-tuning, distill, zoo, finetune, prior, several of them, or all")
      ->capture_default_str()
      ->type_name("M,...");
  cmd->add_option("--runs", args->training.settings.runs, "seeds, for spread and paired tests")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  cmd->add_option("--lambda", args->lambdas,
                  "weight of what the method adds to the loss; several are searched; METHOD:L for "
                  "one method. auto: searched by how hard the penalty pulls at the features, "
                  "r = 0, 0.03, ... 3 times the task loss")
      ->capture_default_str()
      ->type_name("auto|L,...");
  cmd->add_option("--teacher-fit", args->teacher_fit,
                  "what a teacher predicts for an image: by the fit to all others, or to all "
                  "(as in the paper)")
      ->check(CLI::IsMember({"leave-one-out", "in-sample"}))
      ->capture_default_str();
  cmd->add_option("--budget", args->budget, "minutes to train for; chooses the epochs")
      ->check(CLI::PositiveNumber)
      ->type_name("MINUTES");
  cmd->add_option("--temperature", args->request.temperature,
                  "of the teachers' weights softmax(LogME / T)")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("T");
  args->training.rates_with_lambda = true;
  add_training_options(cmd, args->training);
  cmd->add_option("--out", args->request.out, "write the tuned networks (TorchScript) and hub.json")
      ->type_name("DIR");
  cmd->add_option("--targets", args->request.targets_file,
                  "write the teachers' predictions for another trainer; --epochs 0 does only that")
      ->type_name("FILE.npz");
  add_html_option(cmd, args->html);
  cmd->footer(
      "Teachers run once per image and view, before training; a run that is killed goes on from "
      "its last epoch when repeated.\n"
      "Example: assay tune hub/ --target mobilenet --teachers top:3 --data flowers/ --out tuned/\n"
      "         assay tune hub/ --target mobilenet --data flowers/ --method all --runs 5");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_tune(*args, global); }; });
}

}  // namespace assay::cli
