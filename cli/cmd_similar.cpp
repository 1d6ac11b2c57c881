#include <filesystem>
#include <memory>

#include "assay/error.h"
#include "assay/similar.h"
#include "core/clock.h"
#include "data_options.h"
#include "finish.h"
#include "report/screen.h"
#include "report/table.h"
#include "requirement_options.h"
#include "similar/similar_report.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct SimilarArgs {
  SimilarRequest request;
  DataRequest data;
  RequirementArgs require;
};

Exit run_similar(const SimilarArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  SimilarRequest request = args.request;
  request.seed = global.seed;
  request.memory_limit = global.memory_bytes();
  std::vector<std::filesystem::path> files = request.inputs;
  files.insert(files.end(), {request.labels, args.data.data});
  check_outputs(global, {}, files);
  AllowedInputs allowed =
      allowed_inputs(global, args.require, request.inputs, request.labels, !args.data.data.empty());
  request.inputs = std::move(allowed.inputs);
  request.hub.models = std::move(allowed.models);
  ThreadPool pool(global.threads);
  SimilarResult result;
  {
    TerminalProgress progress(global.quiet);
    if (!args.data.data.empty()) {
      request.hub = extract_inputs(pool, request.inputs, with_global_options(args.data, global),
                                   progress.callback())
                        .hub;
    }
    result = similar_models(pool, request, progress.callback());
  }
  if (!global.json_on_stdout())
    print_text(global, similar_table(result, stdout_screen()) + "\n" +
                           wrap(similar_verdict(result), terminal_width()));
  return finish(global, pool, started,
                {similar_json(result), result.notes, result.failed, result.inputs, {}});
}

}  // namespace

void add_similar(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<SimilarArgs>();
  CLI::App* cmd = app.add_subcommand(
      "similar", "which models see the data alike: so that a shortlist is not three copies");
  cmd->add_option("hub", args->request.inputs,
                  "features of the same samples, or networks with --data")
      ->required()
      ->type_name("HUB|FILE...");
  add_data_options(cmd, args->data);
  cmd->add_option("--labels", args->request.labels, "a file in the hub that is no model")
      ->type_name("FILE");
  cmd->add_option("--rows", args->request.rows, "samples that are compared, drawn with the seed")
      ->check(CLI::Range(Index{4}, Index{20'000}))
      ->capture_default_str()
      ->type_name("N");
  cmd->add_option("--neighbours", args->request.neighbours, "nearest neighbours of each sample")
      ->check(CLI::Range(Index{1}, Index{10'000}))
      ->capture_default_str()
      ->type_name("K");
  cmd->add_option("--duplicate", args->request.duplicate,
                  "CKA from which two models are called near-duplicates")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("CKA");
  add_requirement_options(cmd, args->require);
  cmd->footer(
      "CKA compares which samples two models hold to be alike: 1 the same up to rotation and "
      "scale, 0 unrelated\n"
      "(debiased). Shared neighbours: the share of nearest neighbours, by cosine, in common. The "
      "JSON has both\n"
      "matrices, a map, and all models in the order of the most diverse choice.\n"
      "Example: assay similar hub/ --json similar.json");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_similar(*args, global); }; });
}

}  // namespace assay::cli
