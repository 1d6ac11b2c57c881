#include "tune_options.h"

#include <cmath>

#include "assay/error.h"
#include "io/cache_directory.h"
#include "learn/rate_schedule.h"

namespace assay::cli {

void add_training_options(CLI::App* cmd, TrainingArgs& args) {
  TuneSettings& settings = args.settings;
  cmd->add_option("--epochs", settings.epochs, "passes over the training images")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str()
      ->type_name("N");
  cmd->add_option(
         "--lr", args.rates,
         "learning rate of the network, a tenth of the head's; several are searched, auto: "
         "six from 1e-4 to 3e-2 (default: " +
             std::string(args.rates_with_lambda ? "auto where lambda is searched, else " : "") +
             "0.001)")
      ->type_name("R,...|auto");
  cmd->add_option("--weight-decay", settings.decays, "several are searched")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str()
      ->type_name("W,...");
  cmd->add_option("--schedule", args.schedule,
                  "of the learning rate; step: a tenth of it after two thirds of the epochs")
      ->check(CLI::IsMember({"constant", "step", "cosine"}))
      ->capture_default_str();
  cmd->add_option("--batch-size", settings.batch, "images per step")
      ->check(CLI::Range(2, 65536))
      ->capture_default_str()
      ->type_name("N");
  cmd->add_option("--weights", args.taken,
                  "of the last epoch, or their average over the last quarter of the epochs")
      ->check(CLI::IsMember({"last", "average"}))
      ->capture_default_str();
  cmd->add_option("--validation", settings.validation_share,
                  "share of the training images held back while settings are searched; without a "
                  "test part, to judge by")
      ->check(CLI::Range(0.0, 0.9))
      ->capture_default_str()
      ->type_name("SHARE");
  cmd->add_option("--views", settings.views,
                  "crops and mirrors of every training image to learn from; 1: none")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("V");
  cmd->add_option("--network-threads", settings.network_threads,
                  "threads inside one network (default 1: runs go side by side instead)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

TuneSettings with_global_options(const TrainingArgs& args, const GlobalOptions& global) {
  TuneSettings settings = args.settings;
  settings.schedule = parse_schedule(args.schedule);
  settings.seed = global.seed;
  settings.taken = args.taken == "average" ? TakenWeights::average : TakenWeights::last;
  if (args.rates == "auto") {
    settings.rates.clear();
  } else if (!args.rates.empty()) {
    settings.rates = numbers_in(args.rates, "--lr", "numbers such as 0.01,0.001, or auto");
  }
  const auto invalid = [](double value) { return !std::isfinite(value) || value < 0.0; };
  for (const std::vector<double>* values : {&settings.rates, &settings.decays})
    for (const double value : *values)
      if (invalid(value)) fail_input("--lr and --weight-decay are 0 or more");
  const std::filesystem::path cache = cache_directory();
  if (!cache.empty()) settings.checkpoints = cache / "tune";
  return settings;
}

}  // namespace assay::cli
