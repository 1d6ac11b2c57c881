#include <fmt/format.h>

#include <memory>

#include "assay/error.h"
#include "core/clock.h"
#include "core/text.h"
#include "data_options.h"
#include "finish.h"
#include "robust/robust_probe_report.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct RobustProbeArgs {
  RobustProbeRequest request;
  DataRequest data;
  std::string epsilons = "0,0.5";
};

void choose_epsilons(const std::string& text, RobustProbeRequest& request) {
  request.best_epsilon = text == "best";
  if (!request.best_epsilon)
    request.epsilons = numbers_in(text, "--epsilon", "numbers such as 0,0.5, or best");
}

Exit run_robust_probe(const RobustProbeArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  RobustProbeRequest request = args.request;
  choose_epsilons(args.epsilons, request);
  request.memory_limit = global.memory_bytes();
  request.images = images_of(args.data);
  request.seed = global.seed;
  std::vector<std::filesystem::path> inputs = request.inputs;
  inputs.push_back(args.data.data);
  check_outputs(global, {}, inputs);
  ThreadPool pool(global.threads);
  RobustProbeResult result;
  {
    TerminalProgress progress(global.quiet);
    result = robust_probe_hub(pool, request, progress.callback());
  }
  if (!global.json_on_stdout()) {
    show("{}: {} training, {} test images; epsilon in values of 0 to 1\n\n", result.dataset,
         with_thousands(result.train), with_thousands(result.test));
    print_text(global, robust_probe_table(result, stdout_screen()));
  }
  return finish(global, pool, started,
                {robust_probe_json(result), result.notes, result.failed, result.inputs});
}

}  // namespace

void add_robust_probe(CLI::App& robust, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<RobustProbeArgs>();
  RobustProbeRequest* request = &args->request;
  CLI::App* cmd = robust.add_subcommand(
      "probe", "eps-robust linear probing: heads trained and tested against attacks by gradients");
  cmd->add_option("models", request->inputs, "TorchScript networks: files or hubs")
      ->required()
      ->type_name("HUB|MODEL...");
  add_training_data_options(cmd, args->data);
  cmd->add_option(
         "--epsilon", args->epsilons,
         "radii |delta|_2 to train against, each head attacked with all; pixels are 0 to 1; best: "
         "0, and what `robust score` finds best for each network")
      ->capture_default_str()
      ->type_name("E,...|best");
  cmd->add_option("--runs", request->runs, "seeds")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  cmd->add_option("--steps", request->steps, "of an attack by PGD, in training and testing")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  cmd->add_option("--final-steps", request->final_steps,
                  "of each APGD that tests what PGD has left; 0: none")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  cmd->add_option("--restarts", request->restarts, "of APGD on the cross-entropy")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  cmd->add_option("--queries", request->queries, "of the Square attack at the end; 0: none")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  cmd->add_option("--epochs", request->epochs, "passes over the training images")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  cmd->add_option("--batch-size", request->batch, "images per step")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  cmd->add_option("--lr", request->rate, "learning rate of the head, on standardised features")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  cmd->footer(
      "The network stays as it is; the head minimises the loss under the worst shift of each "
      "image.\n"
      "Example: assay robust probe hub/ --data flowers/ --epsilon 0,0.5,1 --runs 3");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_robust_probe(*args, global); }; });
}

}  // namespace assay::cli
