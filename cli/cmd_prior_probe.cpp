#include <filesystem>
#include <memory>

#include "assay/error.h"
#include "core/clock.h"
#include "finish.h"
#include "html_output.h"
#include "prior/prior_report.h"
#include "prior_options.h"
#include "report/screen.h"
#include "report/table.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct PriorProbeArgs {
  ProbeTasksRequest request;
  KernelArgs kernel;
  ModelKernelArgs model;
  std::vector<std::vector<std::string>> priors;
  std::string temperature = "auto";
  std::string probe = "ridge";
  std::filesystem::path html;
};

Exit run_prior_probe(const PriorProbeArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  ProbeTasksRequest request = args.request;
  request.priors = prior_parts(args.priors);
  if (request.priors.size() > 1) fail_input("--prior: one prior here; its parts by commas");
  const double temperature = parse_temperature(args.temperature);
  if (temperature > 0.0) request.temperatures = {temperature};
  request.kernel = kernel_options(args.kernel, global.seed);
  request.model_kernel = model_kernel_options(args.model, args.kernel, global.seed);
  request.penalty = penalty_of(args.model);
  request.graph = graph_of(args.kernel);
  request.options.seed = global.seed;
  request.options.probe = args.probe == "logistic" ? TaskProbe::logistic : TaskProbe::ridge;
  request.memory_limit = global.memory_bytes();
  request.share = global.share;
  if (request.inputs.empty())
    fail_input("no model to probe; name models before --prior, which takes every name after it");
  check_html(args.html);
  check_outputs(global, {args.html}, files_of(request.inputs, request.priors));
  ThreadPool pool(global.threads);
  ProbeTasksResult result;
  {
    TerminalProgress progress(global.quiet, LivePage(global, args.html));
    result = probe_hub_tasks(pool, request, progress.callback());
  }
  if (!global.json_on_stdout())
    print_text(global, probed_tasks_table(result, stdout_screen()) + "\n" +
                           wrap(probed_tasks_verdict(result), terminal_width()));
  return finish(global, pool, started,
                {probed_tasks_json(result), {}, result.failed, result.inputs, args.html});
}

}  // namespace

void add_prior_probe(CLI::App& prior, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<PriorProbeArgs>();
  CLI::App* cmd =
      prior.add_subcommand("probe", "held-out accuracy of linear probes on sampled tasks");
  cmd->add_option("features", args->request.inputs, "the models: feature files or a hub directory")
      ->type_name("HUB|FILE...");
  cmd->add_option("--tasks", args->request.tasks,
                  "labels as `assay prior sample --out` writes them")
      ->required()
      ->type_name("FILE.npy");
  cmd->add_option("--probe", args->probe, "ridge (closed form, fast) or logistic")
      ->check(CLI::IsMember({"ridge", "logistic"}))
      ->capture_default_str();
  cmd->add_option("--test-share", args->request.options.test_share, "share of the rows to test on")
      ->check(CLI::Range(0.01, 0.99))
      ->capture_default_str();
  cmd->add_option("--prior", args->priors,
                  "also the closed form under this prior, and its correlation with the probes")
      ->type_name("FILE...");
  cmd->add_option("--temperature", args->temperature, "of that prior")
      ->capture_default_str()
      ->type_name("T");
  add_kernel_options(*cmd, args->kernel);
  add_model_kernel_options(*cmd, args->model);
  add_graph_option(*cmd, args->kernel);
  add_html_option(cmd, args->html);
  cmd->footer(
      "Example: assay prior probe hub/ --tasks tasks.npy --prior dinov2.npy --json probes.json");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_prior_probe(*args, global); }; });
}

}  // namespace assay::cli
