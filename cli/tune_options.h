#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "assay/tune.h"
#include "common.h"

namespace assay::cli {

struct TrainingArgs {
  TuneSettings settings;
  std::string schedule = "step";
  std::string rates;  // as typed; empty: not named
  std::string taken = "last";
  bool rates_with_lambda = false;  // rates that are not named are searched where lambda is
};

// --epochs, --batch-size and what else says how a network is trained.
void add_training_options(CLI::App* cmd, TrainingArgs& args);

// With seed and place of the checkpoints filled in. Throws Error for values that make no sense.
TuneSettings with_global_options(const TrainingArgs& args, const GlobalOptions& global);

}  // namespace assay::cli
