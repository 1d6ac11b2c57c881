#include "data_options.h"

#include "extract/feature_cache.h"
#include "terminal_progress.h"

namespace assay::cli {

void add_data_options(CLI::App* cmd, DataRequest& request) {
  cmd->add_option(
         "--data", request.data,
         "images to run the hub's networks on: a folder with one sub-folder per class "
         "(perhaps below train/ and test/), or with train_images.npy and train_labels.npy; "
         "an .npz with images and labels; a .csv with path and label")
      ->type_name("DIR|FILE");
  cmd->add_option(
         "--split", request.split,
         "images to use: train, test, or a seeded share such as 0.8 (0.8:test is the rest)")
      ->capture_default_str()
      ->type_name("SPLIT");
  cmd->add_option("--layer", request.options.layer,
                  "output of the networks to take for features, or 'all' (rows NAME@LAYER)")
      ->capture_default_str()
      ->type_name("NAME|all");
  cmd->add_option("--input-size", request.options.input_size,
                  "side of the square images (default: each network's own)")
      ->check(CLI::Range(1, 8192))
      ->type_name("S");
  cmd->add_option("--batch", request.options.batch, "images that go through a network at once")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str()
      ->type_name("N");
}

void add_training_data_options(CLI::App* cmd, DataRequest& request) {
  cmd->add_option("--data", request.data,
                  "labelled images with a test part, as for `rank`: folders, arrays or a .csv")
      ->required()
      ->type_name("DIR|FILE");
  cmd->add_option("--split", request.split,
                  "train on a seeded share such as 0.8, where the data have no test part")
      ->capture_default_str()
      ->type_name("SPLIT");
  cmd->add_option("--input-size", request.options.input_size,
                  "side of the square images (default: each network's own)")
      ->check(CLI::Range(1, 8192))
      ->type_name("S");
}

DataRequest with_global_options(DataRequest request, const GlobalOptions& global) {
  request.options.cache = default_cache_folder();
  request.options.seed = global.seed;
  return request;
}

ExtractedParts run_networks(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                            const DataRequest& request, const GlobalOptions& global) {
  TerminalProgress progress(global.quiet);
  ExtractedParts parts =
      extract_parts(pool, inputs, with_global_options(request, global), progress.callback());
  for (const std::string& note : parts.train.hub.notes) warn(global, "note: " + note);
  return parts;
}

}  // namespace assay::cli
