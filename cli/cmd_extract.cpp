#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/clock.h"
#include "data_options.h"
#include "extract/extract_report.h"
#include "finish.h"
#include "report/screen.h"
#include "terminal_progress.h"

namespace assay::cli {
namespace {

struct ExtractArgs {
  std::vector<std::filesystem::path> inputs;
  DataRequest data;
  std::filesystem::path out;
};

Exit run_extract(const ExtractArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  DataRequest request = with_global_options(args.data, global);
  request.options.share = global.share;
  std::vector<std::filesystem::path> inputs = args.inputs;
  inputs.push_back(args.data.data);
  check_outputs(global, {}, inputs);
  ThreadPool pool(global.threads);
  ExtractedHub extracted;
  {
    TerminalProgress progress(global.quiet);
    extracted = extract_inputs(pool, args.inputs, request, progress.callback());
  }
  if (!args.out.empty()) write_extracted_hub(extracted.hub, args.out);
  if (!global.json_on_stdout()) print_text(global, extract_table(extracted, stdout_screen()));
  return finish(global, pool, started,
                {extract_json(extracted, request.options.views), extracted.result.notes,
                 extracted.result.failed, extracted.hub.inputs});
}

}  // namespace

void add_extract(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<ExtractArgs>();
  CLI::App* cmd = app.add_subcommand(
      "extract", "run the networks of a hub on images; cache features and source probabilities");
  cmd->add_option("hub", args->inputs, "a hub with hub.json and network files, or network files")
      ->required()
      ->type_name("HUB|FILE...");
  add_data_options(cmd, args->data);
  cmd->get_option("--data")->required();
  cmd->add_option("--views", args->data.options.views,
                  "rows per image: the image and random crops of it, one after the other, for "
                  "`assay prior score --prior views:V`")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("V");
  cmd->add_option("--out", args->out,
                  "also write a hub: NAME/features.npy, NAME/probs.npy and labels.npy")
      ->type_name("DIR");
  cmd->footer(
      "Features stay in the cache ($ASSAY_CACHE, else ~/.cache/assay) under the digest of weights, "
      "images and\n"
      "preprocessing, where `assay rank --data` finds them. A run that was interrupted goes on "
      "where it stopped.\n"
      "Example: assay extract hub/ --data flowers/ --out features/");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_extract(*args, global); }; });
}

}  // namespace assay::cli
