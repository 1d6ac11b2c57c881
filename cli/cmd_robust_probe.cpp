#include <fmt/format.h>

#include <memory>

#include "assay/core/progress.h"
#include "assay/core/text.h"
#include "assay/report/robust_probe_report.h"
#include "data_options.h"

namespace assay::cli {
namespace {

Exit run_robust_probe(const ProbeRobustRequest& given, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  ProbeRobustRequest request = given;
  request.data = completed(request.data, global);
  request.seed = global.seed;
  ThreadPool pool(global.threads);
  ProbeRobustResult result;
  {
    TerminalProgress progress(global.quiet);
    result = probe_robust(pool, request, progress.callback());
  }
  if (!global.json_on_stdout()) {
    fmt::print(
        "{}: {} training, {} test images; attacks of {} steps, epsilon in values of 0 to 1\n\n",
        result.dataset, with_thousands(result.train), with_thousands(result.test), request.steps);
    fmt::print("{}", robust_probe_table(result, stdout_screen()));
  }
  std::fflush(stdout);
  for (const std::string& note : result.notes) warn(global, "note: " + note);
  for (const FailedModel& failed : result.failed)
    fmt::print(stderr, "assay: error: model '{}' left out: {}\n", failed.name, failed.error);
  nlohmann::ordered_json json = robust_probe_json(result);
  json["provenance"] = provenance_json(
      {global.command_line, global.seed, pool.threads(), monotonic_seconds() - started},
      result.inputs);
  write_json(global, json);
  return result.failed.empty() ? Exit::done : Exit::failed_on_the_way;
}

}  // namespace

void add_robust_probe(CLI::App& robust, const GlobalOptions& global, Run& run) {
  auto request = std::make_shared<ProbeRobustRequest>();
  CLI::App* cmd = robust.add_subcommand(
      "probe", "eps-robust linear probing: heads trained and tested against attacks by gradients");
  cmd->add_option("models", request->inputs, "TorchScript networks: files or hubs")
      ->required()
      ->type_name("HUB|MODEL...");
  cmd->add_option("--data", request->data.data,
                  "labelled images with a test part, as for `rank`: folders, arrays or a .csv")
      ->required()
      ->type_name("DIR|FILE");
  cmd->add_option("--split", request->data.split,
                  "train on a seeded share such as 0.8, where the data have no test part")
      ->capture_default_str()
      ->type_name("SPLIT");
  cmd->add_option("--input-size", request->data.options.input_size,
                  "side of the square images (default: each network's own)")
      ->check(CLI::Range(1, 8192))
      ->type_name("S");
  cmd->add_option(
         "--epsilon", request->epsilons,
         "radii |delta|_2 to train against, each head attacked with all; pixels are 0 to 1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str()
      ->type_name("E,...");
  cmd->add_option("--runs", request->runs, "seeds")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  cmd->add_option("--steps", request->steps, "of an attack")
      ->check(CLI::Range(1, 1000))
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
  cmd->callback([request, &global, &run] {
    run = [request, &global] { return run_robust_probe(*request, global); };
  });
}

}  // namespace assay::cli
