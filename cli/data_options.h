#pragma once

#include <CLI/CLI.hpp>

#include "assay/extract.h"
#include "common.h"

namespace assay::cli {

// --data and what goes with it, the same for every command that runs networks.
void add_data_options(CLI::App* cmd, DataRequest& request);

// The few of them that commands which train on images have; --data is required.
void add_training_data_options(CLI::App* cmd, DataRequest& request);

// With the cache's place and the seed filled in.
DataRequest with_global_options(DataRequest request, const GlobalOptions& global);

// Runs the networks of the inputs on both parts of the data set, with progress and notes for
// people.
ExtractedParts run_networks(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                            const DataRequest& request, const GlobalOptions& global);

}  // namespace assay::cli
