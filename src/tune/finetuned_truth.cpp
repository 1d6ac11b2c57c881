#include "tune/finetuned_truth.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/digest.h"
#include "assay/error.h"
#include "hub/networks.h"
#include "images/images_digest.h"
#include "tune/search.h"

namespace assay {
namespace {

SearchedRuns search_then_run(ThreadPool& pool, const FinetuneRequest& request,
                             const TrainingImages& data, std::vector<TuneJob> jobs,
                             const ProgressCallback& progress) {
  const TuneSettings& settings = request.settings;
  const auto context_of = [&](const TrainingImages& rows) {
    return TuneContext{&rows, &settings, request.data.options.input_size,
                       training_digest(pool, rows)};
  };
  SearchedRuns found;
  const PlannedEpochs planned = planned_epochs(jobs, settings);
  const double share = static_cast<double>(planned.search) /
                       static_cast<double>(std::max<Index>(1, planned.search + planned.runs));
  if (has_open_settings(jobs, settings)) {
    if (settings.validation_share == 0.0)
      fail_input(
          "several learning rates or decays are chosen among on rows held back; let `validation` "
          "be more than 0");
    const TrainingImages part = with_held_back(data, settings.validation_share, settings.seed);
    jobs = search_settings(
        pool, jobs, context_of(part),
        [&](double done, const std::string& what) {
          if (progress) progress(share * done, what);
        },
        found);
  } else {
    jobs = with_only_settings(std::move(jobs), settings);
  }
  run_all_seeds(
      pool, jobs, context_of(data),
      [&](double done, const std::string& what) {
        if (progress) progress(share + (1.0 - share) * done, what);
      },
      found);
  remove_checkpoints(found);
  return found;
}

}  // namespace

TruthResult finetuned_truth(ThreadPool& pool, const FinetuneRequest& request,
                            const ProgressCallback& progress) {
  const NetworkSources hub = require_networks(request.inputs);
  const TrainingImages data = open_training_images(
      images_of(request.data), request.settings.validation_share, request.settings.seed);
  if (data.targets.kind != TargetKind::classes)
    fail_input(fmt::format("{}: the truth is an accuracy; classes are needed", data.name));
  if (!data.test)
    fail_input(fmt::format("{}: has no test part; split it, e.g. with `split` 0.8", data.name));
  std::vector<TuneJob> jobs;
  for (const NetworkSource& network : hub.networks)
    jobs.push_back({.network = &network, .variant = std::ssize(jobs)});
  const SearchedRuns found = search_then_run(pool, request, data, std::move(jobs), progress);
  TruthResult result;
  result.failed = hub.failed;
  result.failed.insert(result.failed.end(), found.failed.begin(), found.failed.end());
  result.inputs.push_back({request.data.data, images_digest(pool, *data.train.images)});
  for (std::size_t i = 0; i < hub.networks.size(); ++i) {
    MeasuredModel model{hub.networks[i].name,
                        0,
                        static_cast<Index>(data.rows.size()),
                        data.test->images->count(),
                        {}};
    for (const TuneRun& run : found.runs) {
      if (run.variant != static_cast<Index>(i)) continue;
      model.dim = run.dim;
      model.accuracies.push_back(run.test->accuracy.value_or(0.0));
    }
    if (model.accuracies.empty()) continue;
    result.models.push_back(std::move(model));
    result.inputs.push_back({hub.networks[i].file, file_digest(hub.networks[i].file)});
  }
  if (result.models.empty())
    fail_input(fmt::format("nothing could be measured: {}", result.failed.front().error));
  return result;
}

}  // namespace assay
