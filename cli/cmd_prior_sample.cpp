#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>

#include "assay/error.h"
#include "core/clock.h"
#include "core/text.h"
#include "finish.h"
#include "html_output.h"
#include "io/npy.h"
#include "prior/prior_report.h"
#include "prior_options.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

// Of the adjusted Rand index between tasks; choosing a temperature comes nearer where it can.
constexpr double kFarFromAsked = 0.1;

struct PriorSampleArgs {
  SampleTasksRequest request;
  KernelArgs kernel;
  std::vector<std::string> parts;
  bool from_kernel = false;
  std::string temperature = "auto";
  std::string sampler = "prefix";
  std::filesystem::path out;
  std::filesystem::path html;
};

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

Exit run_prior_sample(const PriorSampleArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  SampleTasksRequest request = args.request;
  for (const std::string& text : args.parts) {
    for (const std::string& part : split_list(text))
      if (!part.empty()) request.prior.push_back((args.from_kernel ? "kernel:" : "") + part);
  }
  request.kernel = kernel_options(args.kernel, global.seed);
  request.options.temperature = parse_temperature(args.temperature);
  request.options.gibbs_sweeps = parse_sweeps(args.sampler);
  request.options.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  if (global.json.empty() && args.html.empty()) request.pictured = 0;
  check_html(args.html);
  check_outputs(global, {args.out, args.html}, files_of({}, {request.prior}));
  ThreadPool pool(global.threads);
  SampledTasks tasks;
  {
    TerminalProgress progress(global.quiet, LivePage(global, args.html));
    tasks = sample_prior(pool, request, progress.callback());
  }
  if (!args.out.empty()) {
    const Index shape[] = {request.options.tasks, tasks.count};
    write_npy(args.out, ElementType::i32, shape, std::as_bytes(std::span(tasks.labels)));
  }
  if (!global.json_on_stdout()) print_text(global, sampled_tasks_table(tasks, request));
  const double alike = tasks.diversity.mean_ari.value_or(0.0);
  if (alike > 0.9)
    warn(global, "the tasks are nearly all the same; raise --temperature for variety");
  if (tasks.chosen && request.options.tasks > 1 &&
      std::abs(alike - request.diversity) > kFarFromAsked)
    warn(global, fmt::format("the tasks are alike to {:.2f}, --diversity {} was out of reach",
                             alike, request.diversity));
  if (args.out.empty()) warn(global, "labels were not kept; --out tasks.npy writes them");
  return finish(global, pool, started,
                {sampled_tasks_json(tasks, request), {}, {}, tasks.inputs, args.html});
}

}  // namespace

void add_prior_sample(CLI::App& prior, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<PriorSampleArgs>();
  CLI::App* cmd = prior.add_subcommand("sample", "draw labelings from the prior: realistic tasks");
  cmd->add_option(
         "prior", args->parts,
         "what tasks follow: features, labels:FILE, views:V or kernel:FILE; several multiply")
      ->required()
      ->type_name("FILE...");
  cmd->add_option("--classes", args->request.options.classes, "classes of each task")
      ->check(CLI::Range(Index{2}, Index{10'000}))
      ->capture_default_str();
  cmd->add_option("--tasks", args->request.options.tasks, "labelings to draw")
      ->check(CLI::Range(Index{1}, Index{1'000'000}))
      ->capture_default_str();
  cmd->add_option(
         "--temperature", args->temperature,
         "high: any labelling; low: classes follow the features. auto: as --diversity says")
      ->capture_default_str()
      ->type_name("T");
  cmd->add_option(
         "--diversity", args->request.diversity,
         "auto: the temperature at which two tasks have this adjusted Rand index on average")
      ->check(CLI::Range(0.01, 0.95))
      ->capture_default_str()
      ->type_name("X");
  cmd->add_option("--sampler", args->sampler,
                  "prefix (the paper's Algorithm 1), or gibbs:K: K exact sweeps after it")
      ->capture_default_str();
  add_kernel_options(*cmd, args->kernel);
  cmd->add_flag("--from-kernel", args->from_kernel,
                "the file holds an n x n kernel matrix instead of features: kernel:FILE");
  cmd->add_option("--picture", args->request.pictured,
                  "tasks to draw in the JSON and the page: principal coordinates with labels")
      ->check(CLI::Range(Index{0}, Index{1000}))
      ->capture_default_str();
  cmd->add_option("--out", args->out, "write the labels, int32 of shape (tasks, rows)")
      ->check(output_file_problem)
      ->type_name("FILE.npy");
  add_html_option(cmd, args->html);
  cmd->footer("Example: assay prior sample dinov2.npy --classes 10 --tasks 200 --out tasks.npy");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_prior_sample(*args, global); }; });
}

}  // namespace assay::cli
