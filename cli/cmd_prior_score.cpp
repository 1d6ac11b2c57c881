#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "assay/error.h"
#include "core/clock.h"
#include "core/text.h"
#include "finish.h"
#include "html_output.h"
#include "prior/prior_report.h"
#include "prior_options.h"
#include "report/screen.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct PriorScoreArgs {
  PriorScoreRequest request;
  KernelArgs kernel;
  ModelKernelArgs model;
  std::vector<std::vector<std::string>> priors;
  std::string temperature = "auto";
  std::filesystem::path html;
};

Exit run_prior_score(const PriorScoreArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  PriorScoreRequest request = args.request;
  request.priors = prior_parts(args.priors);
  request.each = std::erase(request.priors, PriorParts{"each"}) > 0;
  request.temperatures = parse_temperatures(args.temperature);
  request.kernel = kernel_options(args.kernel, global.seed);
  request.graph = graph_of(args.kernel);
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  request.share = global.share;
  request.model_kernel = model_kernel_options(args.model, args.kernel, global.seed);
  request.penalty = penalty_of(args.model);
  apply_probe_r2(args.model, request);
  if (request.inputs.empty())
    fail_input(
        "no model to score; name models before --prior, which takes every name that follows it");
  const KernelKind models = request.model_kernel.value_or(request.kernel).kind;
  if (request.pairs > 0 && (request.kernel.kind == KernelKind::rbf || models == KernelKind::rbf))
    fail_input("--pairs needs a kernel with a factor: cosine, linear, projection or ridge");
  check_html(args.html);
  check_outputs(global, {args.html}, files_of(request.inputs, request.priors));
  ThreadPool pool(global.threads);
  PriorScoreResult result;
  {
    TerminalProgress progress(global.quiet, LivePage(global, args.html));
    result = score_prior(pool, request, progress.callback());
  }
  if (!global.json_on_stdout())
    print_text(global, prior_score_table(result, request.pairs, stdout_screen()));
  if (request.pairs == 0 && result.scores.front().n > 100'000)
    warn(global, "more than 100,000 rows: --pairs 1000000 gives nearly the same in seconds");
  return finish(global, pool, started,
                {prior_score_json(result, request), {}, result.failed, result.inputs, args.html});
}

}  // namespace

void add_prior_score(CLI::App& prior, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<PriorScoreArgs>();
  CLI::App* cmd = prior.add_subcommand(
      "score", "mean and variance of every model over all tasks, in closed form");
  cmd->add_option("features", args->request.inputs, "the models: feature files or a hub directory")
      ->type_name("HUB|FILE...");
  cmd->add_option(
         "--prior", args->priors,
         "which samples belong together: features, labels:FILE, views:V or kernel:FILE; several "
         "multiply; use it again for another prior; each: every model is one in turn")
      ->required()
      ->type_name("FILE...");
  cmd->add_option(
         "--temperature", args->temperature,
         "numbers, comma-separated, or auto: the prior kernel's median absolute entry, zeros aside")
      ->capture_default_str()
      ->type_name("T,...");
  add_kernel_options(*cmd, args->kernel);
  add_model_kernel_options(*cmd, args->model);
  add_probe_r2_option(*cmd, args->model);
  add_graph_option(*cmd, args->kernel);
  cmd->add_option("--pairs", args->request.pairs,
                  "sample this many pairs instead of taking all; gives standard errors")
      ->check(CLI::Range(Index{100}, Index{1'000'000'000}))
      ->type_name("N");
  cmd->add_option("--labels", args->request.labels,
                  "one labelling: also its Tr(MG) and the best linear probe's squared error")
      ->type_name("FILE");
  cmd->add_option(
         "--views", args->request.views,
         "rows in a row are this many views of one sample: adds LiDAR (a views prior does)")
      ->check(CLI::Range(Index{2}, Index{1'000'000}))
      ->type_name("V");
  cmd->add_flag("!--no-label-free", args->request.label_free,
                "leave out RankMe, alpha-ReQ and LiDAR");
  add_html_option(cmd, args->html);
  cmd->footer(
      "A prior says which samples tend to share a class; a model is good when linear probes on it "
      "learn such tasks:\n"
      "probe_r2, the share of their variance that a probe explains of rows it has not seen, orders "
      "the table. Beside it\n"
      "the paper's numbers: the mean and variance of Tr(MG), its kernel M against all such tasks "
      "G.\n"
      "Examples:\n"
      "  assay prior score ckpt_*.npy --prior dinov2.npy --temperature 0.01,0.1\n"
      "  assay prior score hub/ --prior labels:y.npy --prior views:2     two priors, a grid\n"
      "  assay prior score hub/ --prior each                             every model judges all");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_prior_score(*args, global); }; });
}

}  // namespace assay::cli
