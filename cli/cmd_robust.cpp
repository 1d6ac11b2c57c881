#include <fmt/format.h>

#include <memory>

#include "assay/error.h"
#include "assay/extract.h"
#include "assay/robust.h"
#include "core/clock.h"
#include "finish.h"
#include "html_output.h"
#include "hub/networks.h"
#include "report/screen.h"
#include "report/table.h"
#include "robust/robust_verdict.h"
#include "robust/synbench_report.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct RobustArgs {
  SynbenchRequest request;
  std::vector<std::filesystem::path> networks;
  std::string norm = "2";
  bool absolute = false;
  std::filesystem::path html;
};

Norm norm_of(const std::string& name) {
  if (name == "1") return Norm::one;
  return name == "2" ? Norm::two : Norm::infinity;
}

void refuse_options_of_networks(const RobustArgs& args, const CLI::App& cmd) {
  if (!args.networks.empty()) return;
  for (const char* option : {"--scales", "--samples", "--input-size"}) {
    if (cmd.count(option) > 0)
      fail_input(fmt::format(
          "{} is for networks; representations bring their own scales and samples", option));
  }
}

Exit run_score(const RobustArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  if (args.networks.empty() && args.request.representations.empty())
    fail_input("nothing to score; name networks, or --representations FILE.npz ... (see --help)");
  check_html(args.html);
  SynbenchRequest request = args.request;
  std::vector<std::filesystem::path> inputs = args.networks;
  inputs.insert(inputs.end(), request.representations.begin(), request.representations.end());
  for (const auto& file : {request.mean, request.covariance})
    if (!file.empty()) inputs.push_back(file);
  check_outputs(global, {args.html}, inputs);
  NetworkSources found;
  if (!args.networks.empty()) found = require_networks(args.networks);
  request.networks = found.networks;
  if (request.networks.empty() && request.representations.empty())
    fail_input(found.failed.front().error);
  request.relative = !args.absolute;
  request.norm = norm_of(args.norm);
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  request.share = global.share;
  ThreadPool pool(global.threads);
  SynbenchResult result;
  {
    TerminalProgress progress(global.quiet, LivePage(global, args.html));
    result = synbench_hub(pool, request, progress.callback());
  }
  result.failed.insert(result.failed.begin(), found.failed.begin(), found.failed.end());
  if (!global.json_on_stdout())
    print_text(global, robust_table(result, request, stdout_screen()) + "\n" +
                           wrap(robust_verdict(result, request), terminal_width()));
  std::fflush(stdout);
  for (const SynbenchModel& model : result.models)
    for (const std::string& note : model.notes)
      warn(global, fmt::format("warning: model '{}': {}", model.name, note));
  return finish(
      global, pool, started,
      {robust_json(result, request), found.notes, result.failed, result.inputs, args.html});
}

// Synthetic data other than the paper's.
void add_world_options(CLI::App* cmd, SynbenchRequest& request) {
  cmd->add_option("--class-prior", request.class_prior, "share of class 1 (Result 2.1)")
      ->capture_default_str()
      ->type_name("P");
  cmd->add_option("--mean", request.mean,
                  "another world: the direction in which the classes differ, a number per input "
                  "(channel by channel, row by row)")
      ->type_name("FILE.npy");
  cmd->add_option("--covariance", request.covariance,
                  "another world: the noise; a variance per input, d x d numbers, or an .npz of "
                  "diagonal (d) and factor (d, r)")
      ->type_name("FILE");
}

void add_robust_score(CLI::App& robust, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<RobustArgs>();
  CLI::App* cmd = robust.add_subcommand(
      "score", "SynBench: robustness and accuracy of a representation of synthetic data");
  cmd->add_option("models", args->networks, "networks: files or hubs")->type_name("HUB|MODEL...");
  cmd->add_option("--representations", args->request.representations,
                  "representations that you made of the synthetic data, one file per model")
      ->type_name("FILE.npz...");
  cmd->add_option("--scales", args->request.scales,
                  "half the distance between the classes, in standard deviations of the noise "
                  "(default: 0.1,0.2,...,4.9); for networks")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("S,...");
  cmd->add_option("--samples", args->request.samples,
                  "synthetic images to fit, and as many to measure, at every scale; for networks")
      ->capture_default_str()
      ->type_name("N");
  cmd->add_option("--input-size", args->request.input_size,
                  "side of the square images (default: each network's own)")
      ->check(CLI::Range(1, 8192))
      ->type_name("S");
  cmd->add_option("--epsilon", args->request.epsilons,
                  "shifts to withstand, as shares of half the distance between the classes")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str()
      ->type_name("E,...");
  cmd->add_option("--threshold", args->request.thresholds, "threshold accuracies")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str()
      ->type_name("A,...");
  cmd->add_flag(
      "--absolute", args->absolute,
      "epsilons are distances, to the letter of the paper; scales they cover are left out");
  cmd->add_option("--norm", args->norm, "norm of the shifts")
      ->check(CLI::IsMember({"1", "2", "inf"}))
      ->capture_default_str();
  cmd->add_flag(
      "--literal", args->request.eigenbasis,
      "norms 1 and inf in the eigenbasis of the covariance, as in the paper's Appendix C");
  add_world_options(cmd, args->request);
  add_html_option(cmd, args->html);
  cmd->footer(
      "A network sees images x = ±s 1/√d + 0.5 + N(0, I) at every scale s, then its own "
      "normalisation.\nFILE.npz holds scales (S), train and test (S, N, D), train_labels and "
      "test_labels (S, N), 0 "
      "or 1:\nrepresentations of the same, class 1 with the plus sign. docs/guide/robust.md has a "
      "script.\n"
      "Examples: assay robust score hub/ --samples 1024 --scales 0.5,1,2,4\n"
      "          assay robust score --representations vit.npz resnet.npz --epsilon 0,0.2,0.4");
  cmd->callback([args, cmd, &global, &run] {
    run = [args, cmd, &global] {
      refuse_options_of_networks(*args, *cmd);
      return run_score(*args, global);
    };
  });
}

}  // namespace

void add_robust(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* robust = app.add_subcommand(
      "robust", "robustness of representations: SynBench without any data, probes on images");
  robust->require_subcommand(1);
  robust->fallthrough();
  robust->footer("Example: assay robust score hub/ --samples 1024 --scales 0.5,1,2,4");
  add_robust_score(*robust, global, run);
  add_robust_probe(*robust, global, run);
}

}  // namespace assay::cli
