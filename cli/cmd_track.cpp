#include <filesystem>
#include <memory>

#include "assay/error.h"
#include "assay/track.h"
#include "core/clock.h"
#include "data_options.h"
#include "finish.h"
#include "html_output.h"
#include "prior_options.h"
#include "report/screen.h"
#include "report/table.h"
#include "terminal_progress.h"
#include "track/track_report.h"

namespace assay::cli {
namespace {

struct TrackArgs {
  TrackRequest request;
  std::string prior;
  std::string steps;
  DataRequest data;
  double ci = 0.95;
  std::filesystem::path html;
};

void run_checkpoints(ThreadPool& pool, const TrackArgs& args, const GlobalOptions& global,
                     TrackRequest& request) {
  if (!request.labels.empty())
    fail_input("--data brings its own labels; leave --labels out (it is for files of features)");
  TerminalProgress progress(global.quiet);
  request.hub = extract_inputs(pool, request.inputs, with_global_options(args.data, global),
                               progress.callback())
                    .hub;
}

Exit run_track(const TrackArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  TrackRequest request = args.request;
  if (!args.prior.empty()) request.prior = {args.prior};
  if (!args.steps.empty())
    request.steps = numbers_in(args.steps, "--steps", "numbers, one per checkpoint");
  request.setting.level = args.ci;
  request.setting.seed = global.seed;
  request.setting.memory_limit = global.memory_bytes();
  check_html(args.html);
  std::vector<std::filesystem::path> files = request.inputs;
  files.insert(files.end(), {request.labels, args.data.data});
  check_outputs(global, {args.html}, files);
  ThreadPool pool(global.threads);
  if (!args.data.data.empty()) run_checkpoints(pool, args, global, request);
  TrackResult result;
  {
    TerminalProgress progress(global.quiet, LivePage(global, args.html));
    result = track_checkpoints(pool, request, progress.callback());
  }
  if (!global.json_on_stdout())
    print_text(global, track_table(result, stdout_screen()) + "\n" +
                           wrap(track_verdict(result), terminal_width()));
  return finish(global, pool, started,
                {track_json(result), result.notes, result.failed, result.inputs, args.html});
}

}  // namespace

void add_track(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<TrackArgs>();
  CLI::App* cmd =
      app.add_subcommand("track", "follow training: is this checkpoint better than the last?");
  cmd->add_option("checkpoints", args->request.inputs,
                  "features of the same samples from successive checkpoints (files or a hub), or "
                  "networks with --data; the last number of a name is its step")
      ->required()
      ->type_name("HUB|FILE...");
  add_data_options(cmd, args->data);
  cmd->add_option(
         "--labels", args->request.labels,
         "one label per row: adds LogME and nearest neighbours, and makes probe R2 that of "
         "these classes")
      ->type_name("FILE");
  cmd->add_option("--prior", args->prior,
                  "which samples belong together, for probe R2: features, labels:FILE, views:V or "
                  "kernel:FILE, as for `prior score`")
      ->type_name("FILE|...");
  cmd->add_option("--steps", args->steps,
                  "step of every checkpoint in the order given, where names do not say")
      ->type_name("N,...");
  cmd->add_option("--views", args->request.setting.views,
                  "rows in a row are this many views of one sample: adds LiDAR")
      ->check(CLI::Range(Index{2}, Index{1'000'000}))
      ->type_name("V");
  cmd->add_option("--by", args->request.setting.by,
                  "what says which checkpoint is better: logme, knn, probe_r2 or rankme (default: "
                  "the first of these that there is)")
      ->type_name("QUANTITY");
  cmd->add_option("--ci", args->ci, "confidence level of intervals, such as 0.95 or 95")
      ->transform(CLI::Validator(read_confidence, ""))
      ->capture_default_str()
      ->type_name("LEVEL");
  add_html_option(cmd, args->html);
  cmd->footer(
      "Reads: +, - and = say whether a score is above, below or not separable from that of the "
      "checkpoint before, by\n"
      "the paired interval of their difference; ± is half the interval of the score itself. "
      "RankMe and LiDAR are said\n"
      "to be good when high, alpha-ReQ near 1; noise has a high RankMe, too.\n"
      "Examples:\n"
      "  assay track ckpt_*.npy --labels labels.npy --html training.html\n"
      "  assay track ckpt_*.npy --prior dinov2.npy --steps 0,1000,5000");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_track(*args, global); }; });
}

}  // namespace assay::cli
