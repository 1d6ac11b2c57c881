#include "tune/epochs_in_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "core/clock.h"
#include "images/training_images.h"
#include "io/atomic_file.h"
#include "tune/search.h"
#include "tune/tuner.h"

namespace assay {
namespace {

constexpr Index kTimedSteps = 3;  // after one to warm up
constexpr Index kMostEpochs = 100000;

// Of one epoch of the network, from a few steps that are thrown away.
double timed_epoch(const TuneJob& job, const TuneContext& context) {
  const TuneSettings& settings = *context.settings;
  const TrainingImages& data = *context.data;
  const Preprocessing preprocessing =
      with_input_size(job.network->preprocessing, context.input_size);
  const PrepareBatch prepare =
      batches_of(data.train.images, preprocessing, {settings.seed, settings.least_area});
  const std::unique_ptr<Trainer> trainer = job.network->train(settings.network_threads);
  const Index size = std::min<Index>(settings.batch, std::ssize(data.rows));
  std::vector<BatchRow> batch;
  for (Index i = 0; i < size; ++i) batch.push_back({data.rows[static_cast<std::size_t>(i)], 0});
  const auto dim = static_cast<Index>(
      trainer->forward(prepare({batch.data(), 1}).images(), Pass::evaluation).size());
  Tuner tuner(*trainer, dim, data.targets, {});
  double least = 0.0;
  for (Index step = 0; step <= kTimedSteps; ++step) {
    const double started = monotonic_seconds();
    tuner.step(prepare(batch).images(), batch, 0.0);
    const double seconds = monotonic_seconds() - started;
    if (step == 1 || (step > 1 && seconds < least)) least = seconds;
  }
  const Index steps =
      std::ssize(data.rows) / size;  // rows that fill no batch wait for the next epoch
  return least * static_cast<double>(steps);
}

}  // namespace

Index affordable_epochs(const std::vector<TuneJob>& jobs, const TuneSettings& settings,
                        double seconds_per_epoch, double seconds) {
  const auto fits = [&](Index epochs) {
    TuneSettings with = settings;
    with.epochs = epochs;
    const PlannedEpochs planned = planned_epochs(jobs, with);
    return seconds_per_epoch * static_cast<double>(planned.search + planned.runs) <= seconds;
  };
  Index low = 1;
  Index high = kMostEpochs;
  while (low < high) {
    const Index middle = (low + high + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

Index epochs_in_budget(const std::vector<TuneJob>& jobs, const TuneContext& context,
                       Index threads) {
  TuneSettings settings = *context.settings;
  settings.epochs = 0;  // of what is kept, the key must not depend on the answer
  TuneContext keyed = context;
  keyed.settings = &settings;
  std::filesystem::path kept = checkpoint_file(jobs.front(), keyed);
  if (!kept.empty()) {
    const PlannedEpochs one = planned_epochs(jobs, settings);
    kept.replace_extension(fmt::format(".{}-{}-{}.epochs", *settings.budget_minutes, jobs.size(),
                                       one.search + settings.runs));
    Index epochs = 0;
    if (std::ifstream(kept) >> epochs && epochs > 0) return epochs;
  }
  std::set<const NetworkSource*> networks;
  double longest = 0.0;
  for (const TuneJob& job : jobs)
    if (networks.insert(job.network).second) longest = std::max(longest, timed_epoch(job, context));
  constexpr double minute = 60.0;
  const Index epochs = affordable_epochs(
      jobs, *context.settings, longest,
      *settings.budget_minutes * minute * static_cast<double>(std::max<Index>(1, threads)));
  if (!kept.empty()) {
    std::filesystem::create_directories(kept.parent_path());
    write_file_atomically(kept, {fmt::format("{}\n", epochs)});
  }
  return epochs;
}

}  // namespace assay
