#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <numeric>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/features.h"
#include "assay/hub.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/check_targets.h"
#include "data/folds.h"
#include "data/moments_pass.h"
#include "finish.h"
#include "hub/open_rows.h"
#include "parts/data_digest.h"
#include "parts/moments_file.h"
#include "parts/part_file.h"

namespace assay::cli {
namespace {

struct MomentsArgs {
  std::vector<std::filesystem::path> features;
  std::filesystem::path labels;
  std::filesystem::path out;
  std::string name;
};

// The i-th of N runs of rows that follow one another.
struct Slice {
  Index first = 0;
  Index last = 0;
};

Slice slice_of(const GlobalOptions& global, Index rows) {
  const PartNumber part = global.part.empty() ? PartNumber{} : parse_part(global.part);
  return {rows * (part.part - 1) / part.parts, rows * part.part / part.parts};
}

MomentsFile sum_rows(ThreadPool& pool, const MomentsArgs& args, const GlobalOptions& global,
                     const Rows& rows, const Model& model) {
  const Targets targets = load_targets(args.labels);
  require_matching(*rows, targets);
  const Slice slice = slice_of(global, rows->rows());
  if (slice.first == slice.last)
    fail_input(fmt::format("`part` {}: there are only {} rows", global.part, rows->rows()));
  require_memory(rows->where(), "moments of 20 folds",
                 moments_bytes(rows->cols(), targets.columns()) * (kMomentFolds + pool.threads()),
                 global.memory_bytes());
  Folds folds = stratified_folds(targets, kMomentFolds, global.seed);
  folds.of_row.resize(static_cast<std::size_t>(rows->rows()), 0);
  for (Index row = 0; row < rows->rows(); ++row)
    if (row < slice.first || row >= slice.last) folds.of_row[static_cast<std::size_t>(row)] = -1;
  MomentsFile file;
  file.model = args.name.empty() ? model.name : args.name;
  file.labels = targets_digest(targets);
  file.total_rows = rows->rows();
  file.first_row = slice.first;
  file.moments = moments_of_rows(pool, *rows, targets, folds.of_row, kMomentFolds);
  return file;
}

Exit run_moments(const MomentsArgs& args, const GlobalOptions& global) {
  const double started = monotonic_seconds();
  std::vector<std::filesystem::path> inputs = args.features;
  inputs.push_back(args.labels);
  check_outputs(global, {args.out}, inputs);
  const ModelList found = find_models(args.features, args.labels);
  if (found.models.size() != 1)
    fail_input(fmt::format("moments are of one model, here are {}; name one, or its shards",
                           found.models.size()));
  ThreadPool pool(global.threads);
  const Rows rows = open_rows(found.models.front());
  const MomentsFile file = sum_rows(pool, args, global, rows, found.models.front());
  write_moments(args.out, file);
  const double bytes = static_cast<double>(std::filesystem::file_size(args.out));
  if (!global.json_on_stdout())
    show("{}: rows {} to {} of {} of {}, {} dimensions, {}\n", args.out.string(),
         file.first_row + 1, file.first_row + file.moments.rows(), file.total_rows, file.model,
         file.moments.dim(), human_bytes(bytes));
  nlohmann::ordered_json json = {{"model", file.model},
                                 {"file", args.out.string()},
                                 {"first_row", file.first_row},
                                 {"rows", file.moments.rows()},
                                 {"total_rows", file.total_rows},
                                 {"dim", file.moments.dim()},
                                 {"columns", file.moments.columns.size()},
                                 {"folds", file.moments.folds.size()},
                                 {"labels", file.labels}};
  std::vector<FileDigest> digests = {{args.labels, file_digest(args.labels)}};
  return finish(global, pool, started, {std::move(json), {}, {}, std::move(digests)});
}

}  // namespace

void add_moments(CLI::App& app, const GlobalOptions& global, Run& run) {
  auto args = std::make_shared<MomentsArgs>();
  CLI::App* cmd = app.add_subcommand(
      "moments", "sum what LogME and H-score need of a model's rows: parts that add, for `rank`");
  cmd->add_option("features", args->features, "features of one model: a file, or its shards")
      ->required()
      ->type_name("FILE...");
  cmd->add_option("--labels", args->labels, "one label per row of these features")
      ->required()
      ->type_name("FILE");
  cmd->add_option("-o,--out", args->out, "where the moments go")
      ->required()
      ->check(output_file_problem)
      ->type_name("FILE.am");
  cmd->add_option("--name", args->name, "the model's name (default: that of the file)")
      ->type_name("NAME");
  cmd->footer(
      "With --part i/N only the i-th Nth of the rows is read. Files of one model and the same\n"
      "labels add up in `assay rank --moments`, so rows on different machines never move. A file\n"
      "is about 20 (D^2 + D C) numbers large, however many rows there are "
      "(docs/formats/parts.md).\n"
      "Example: assay moments big.npy --labels y.npy --part 1/2 -o big.1.am     (2/2 elsewhere)\n"
      "         assay rank --moments big.1.am big.2.am other.am");
  cmd->callback(
      [args, &global, &run] { run = [args, &global] { return run_moments(*args, global); }; });
}

}  // namespace assay::cli
