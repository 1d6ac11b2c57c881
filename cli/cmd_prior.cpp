#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>

#include "assay/error.h"
#include "core/clock.h"
#include "core/text.h"
#include "finish.h"
#include "html_output.h"
#include "io/npy.h"
#include "prior/kernel.h"
#include "prior/prior_report.h"
#include "report/screen.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

// What the three commands share.
struct KernelArgs {
  std::string kernel = "cosine";
  std::string center = "auto";
  std::string normalize = "none";
  std::string graph = "directed";
};

struct ScoreArgs {
  PriorScoreRequest request;
  KernelArgs kernel;
  std::vector<std::vector<std::string>> priors;
  std::string temperature = "auto";
  std::filesystem::path html;
};

struct SampleArgs {
  SampleTasksRequest request;
  KernelArgs kernel;
  std::string temperature = "auto";
  std::string sampler = "prefix";
  std::filesystem::path out;
};

struct ProbeArgs {
  ProbeTasksRequest request;
  KernelArgs kernel;
  std::vector<std::vector<std::string>> priors;
  std::string temperature = "auto";
  std::string probe = "ridge";
  std::filesystem::path html;
};

KernelOptions kernel_options(const KernelArgs& args, std::uint64_t seed) {
  KernelOptions out;
  if (args.kernel == "linear") out.kind = KernelKind::linear;
  if (args.kernel == "rbf") out.kind = KernelKind::rbf;
  if (args.kernel == "projection") out.kind = KernelKind::projection;
  out.center = centers(out.kind, args.center == "auto" ? std::optional<bool>()
                                                       : std::optional(args.center == "yes"));
  if (args.normalize == "frobenius") out.normalize = Normalisation::frobenius;
  if (args.normalize == "trace") out.normalize = Normalisation::trace;
  out.seed = seed;
  return out;
}

Graph graph_of(const KernelArgs& args) {
  return args.graph == "undirected" ? Graph::undirected : Graph::directed;
}

std::vector<double> parse_temperatures(const std::string& text) {
  std::vector<double> out;
  if (text == "auto") return out;
  for (const std::string& part : split_list(text)) {
    double value = 0.0;
    const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (code != std::errc() || end != part.data() + part.size() || !(value > 0.0) ||
        !(value <= 1e100)) {
      fail_input(fmt::format(
          "--temperature '{}': expected positive numbers, comma-separated, or auto", text));
    }
    out.push_back(value);
  }
  return out;
}

// A single number; nothing for auto.
double parse_temperature(const std::string& text) {
  const std::vector<double> values = parse_temperatures(text);
  if (values.size() > 1) fail_input("--temperature: one number here, or auto");
  return values.empty() ? 0.0 : values.front();
}

// Each use of --prior is a prior of its own; what it names, by blanks or commas, multiplies.
std::vector<PriorParts> prior_parts(const std::vector<std::vector<std::string>>& uses) {
  std::vector<PriorParts> out;
  for (const std::vector<std::string>& use : uses) {
    PriorParts parts;
    for (const std::string& text : use)
      for (std::string& part : split_list(text))
        if (!part.empty()) parts.push_back(std::move(part));
    if (!parts.empty()) out.push_back(std::move(parts));
  }
  return out;
}

Exit run_score(const ScoreArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  PriorScoreRequest request = args.request;
  request.priors = prior_parts(args.priors);
  request.temperatures = parse_temperatures(args.temperature);
  request.kernel = kernel_options(args.kernel, global.seed);
  request.graph = graph_of(args.kernel);
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  if (request.inputs.empty())
    fail_input(
        "no model to score; name models before --prior, which takes every name that follows it");
  if (request.pairs > 0 && request.kernel.kind == KernelKind::rbf)
    fail_input("--pairs needs a kernel with a factor: cosine, linear or projection");
  check_html(args.html);
  ThreadPool pool(global.threads);
  PriorScoreResult result;
  {
    TerminalProgress progress(global.quiet);
    result = score_prior(pool, request, progress.callback());
  }
  if (!global.json_on_stdout())
    print_text(global, prior_score_table(result, request.pairs, stdout_screen()));
  if (request.pairs == 0 && result.scores.front().n > 100'000)
    warn(global, "more than 100,000 rows: --pairs 1000000 gives nearly the same in seconds");
  return finish(global, pool, started,
                {prior_score_json(result, request), {}, result.failed, result.inputs, args.html});
}

int parse_sweeps(const std::string& sampler) {
  if (sampler == "prefix") return 0;
  constexpr std::string_view gibbs = "gibbs:";
  int sweeps = 0;
  if (sampler.starts_with(gibbs)) {
    const char* end = sampler.data() + sampler.size();
    const auto [stop, code] = std::from_chars(sampler.data() + gibbs.size(), end, sweeps);
    if (code == std::errc() && stop == end && sweeps >= 1 && sweeps <= 100'000) return sweeps;
  }
  fail_input(fmt::format("--sampler '{}': expected prefix, or gibbs:K with K sweeps", sampler));
}

Exit run_sample(const SampleArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  SampleTasksRequest request = args.request;
  request.kernel = kernel_options(args.kernel, global.seed);
  request.options.temperature = parse_temperature(args.temperature);
  request.options.gibbs_sweeps = parse_sweeps(args.sampler);
  request.options.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  if (global.json.empty()) request.pictured = 0;
  ThreadPool pool(global.threads);
  SampledTasks tasks;
  {
    TerminalProgress progress(global.quiet);
    tasks = sample_prior(pool, request, progress.callback());
  }
  if (!args.out.empty()) {
    const Index shape[] = {request.options.tasks, tasks.count};
    write_npy(args.out, ElementType::i32, shape, std::as_bytes(std::span(tasks.labels)));
  }
  if (!global.json_on_stdout()) print_text(global, sampled_tasks_table(tasks, request));
  if (tasks.alike.value_or(0.0) > 0.9)
    warn(global, "the tasks are nearly all the same; raise --temperature for variety");
  if (args.out.empty()) warn(global, "labels were not kept; --out tasks.npy writes them");
  return finish(global, pool, started, {sampled_tasks_json(tasks, request), {}, {}, tasks.inputs});
}

Exit run_probe(const ProbeArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  ProbeTasksRequest request = args.request;
  request.priors = prior_parts(args.priors);
  if (request.priors.size() > 1) fail_input("--prior: one prior here; its parts by commas");
  const double temperature = parse_temperature(args.temperature);
  if (temperature > 0.0) request.temperatures = {temperature};
  request.kernel = kernel_options(args.kernel, global.seed);
  request.graph = graph_of(args.kernel);
  request.options.seed = global.seed;
  request.options.probe = args.probe == "logistic" ? TaskProbe::logistic : TaskProbe::ridge;
  request.memory_limit = global.memory_bytes();
  if (request.inputs.empty())
    fail_input("no model to probe; name models before --prior, which takes every name after it");
  check_html(args.html);
  ThreadPool pool(global.threads);
  ProbeTasksResult result;
  {
    TerminalProgress progress(global.quiet);
    result = probe_hub_tasks(pool, request, progress.callback());
  }
  if (!global.json_on_stdout()) print_text(global, probed_tasks_table(result, stdout_screen()));
  return finish(global, pool, started,
                {probed_tasks_json(result), {}, result.failed, result.inputs, args.html});
}

void add_kernel_options(CLI::App& cmd, KernelArgs& args) {
  cmd.add_option("--kernel", args.kernel, "how alike two samples are; for prior and models alike")
      ->check(CLI::IsMember({"cosine", "linear", "rbf", "projection"}))
      ->capture_default_str();
  cmd.add_option("--center", args.center, "centre a cosine or linear kernel (auto: cosine)")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  cmd.add_option("--normalize", args.normalize, "divide each kernel by its norm or its trace")
      ->check(CLI::IsMember({"none", "frobenius", "trace"}))
      ->capture_default_str();
}

void add_graph_option(CLI::App& cmd, KernelArgs& args) {
  cmd.add_option("--graph", args.graph, "graphs the prior ranges over; the paper's are directed")
      ->check(CLI::IsMember({"directed", "undirected"}))
      ->capture_default_str();
}

void add_score(CLI::App& prior, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<ScoreArgs>();
  CLI::App* cmd = prior.add_subcommand(
      "score", "mean and variance of every model over all tasks, in closed form");
  cmd->add_option("features", args->request.inputs, "the models: feature files or a hub directory")
      ->type_name("HUB|FILE...");
  cmd->add_option("--prior", args->priors,
                  "which samples belong together: features, labels:FILE or views:V; several "
                  "multiply; use it again for another prior")
      ->required()
      ->type_name("FILE...");
  cmd->add_option(
         "--temperature", args->temperature,
         "numbers, comma-separated, or auto: the prior kernel's median absolute entry, zeros aside")
      ->capture_default_str()
      ->type_name("T,...");
  add_kernel_options(*cmd, args->kernel);
  add_graph_option(*cmd, args->kernel);
  cmd->add_option("--pairs", args->request.pairs,
                  "sample this many pairs instead of taking all; gives standard errors")
      ->check(CLI::Range(Index{100}, Index{1'000'000'000}))
      ->type_name("N");
  cmd->add_option("--labels", args->request.labels,
                  "one labelling: also its Tr(MG) and the best linear probe's squared error")
      ->type_name("FILE");
  add_html_option(cmd, args->html);
  cmd->footer(
      "A prior says which samples tend to share a class; a model is good when its own kernel M "
      "agrees on average over\n"
      "all such tasks G: E Tr(MG) high, Var Tr(MG) low. Per pair, numbers compare across data "
      "sets.\n"
      "Examples:\n"
      "  assay prior score ckpt_*.npy --prior dinov2.npy --temperature 0.01,0.1\n"
      "  assay prior score hub/ --prior labels:y.npy --prior views:2     two priors, a grid");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_score(*args, global); }; });
}

void add_sample(CLI::App& prior, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<SampleArgs>();
  CLI::App* cmd = prior.add_subcommand("sample", "draw labelings from the prior: realistic tasks");
  cmd->add_option("features", args->request.features, "features that are the prior")
      ->required()
      ->type_name("FILE");
  cmd->add_option("--classes", args->request.options.classes, "classes of each task")
      ->check(CLI::Range(Index{2}, Index{10'000}))
      ->capture_default_str();
  cmd->add_option("--tasks", args->request.options.tasks, "labelings to draw")
      ->check(CLI::Range(Index{1}, Index{1'000'000}))
      ->capture_default_str();
  cmd->add_option("--temperature", args->temperature,
                  "high: any labelling; low: classes follow the features. auto: the kernel's "
                  "median absolute entry")
      ->capture_default_str()
      ->type_name("T");
  cmd->add_option("--sampler", args->sampler,
                  "prefix (the paper's Algorithm 1), or gibbs:K: K exact sweeps after it")
      ->capture_default_str();
  add_kernel_options(*cmd, args->kernel);
  cmd->add_flag("--from-kernel", args->request.from_kernel,
                "the file holds an n x n kernel matrix instead of features");
  cmd->add_option("--picture", args->request.pictured,
                  "tasks to draw in the JSON: principal coordinates with labels")
      ->check(CLI::Range(Index{0}, Index{1000}))
      ->capture_default_str();
  cmd->add_option("--out", args->out, "write the labels, int32 of shape (tasks, rows)")
      ->check(output_file_problem)
      ->type_name("FILE.npy");
  cmd->footer("Example: assay prior sample dinov2.npy --classes 10 --tasks 200 --out tasks.npy");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_sample(*args, global); }; });
}

void add_probe(CLI::App& prior, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<ProbeArgs>();
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
  add_graph_option(*cmd, args->kernel);
  add_html_option(cmd, args->html);
  cmd->footer(
      "Example: assay prior probe hub/ --tasks tasks.npy --prior dinov2.npy --json probes.json");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_probe(*args, global); }; });
}

}  // namespace

void add_prior(CLI::App& app, const GlobalOptions& global, Run& run) {
  CLI::App* prior = app.add_subcommand(
      "prior", "judge representations without labels, over all tasks a prior finds likely");
  prior->require_subcommand(1);
  prior->footer(
      "Example: assay prior score hub/ --prior dinov2.npy\n"
      "`assay prior score --help` and so on explain each.");
  prior->fallthrough();
  add_score(*prior, global, run);
  add_sample(*prior, global, run);
  add_probe(*prior, global, run);
}

}  // namespace assay::cli
