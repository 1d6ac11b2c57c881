#include <fmt/format.h>

#include <utility>

#include "assay/digest.h"
#include "assay/error.h"
#include "assay/features.h"
#include "assay/track.h"
#include "hub/hub_or_files.h"
#include "hub/open_rows.h"
#include "prior/open_prior.h"
#include "track/checkpoint_steps.h"

namespace assay {
namespace {

// Files that were named one by one keep that order, which `steps` speak of.
std::vector<Model> checkpoints_of(const TrackRequest& request) {
  if (!request.hub.models.empty()) return request.hub.models;
  std::vector<Model> models = find_models(request.inputs, request.labels).models;
  if (request.steps.empty()) return models;
  std::vector<Model> in_order;
  for (const std::filesystem::path& input : request.inputs)
    for (Model& one : find_models({input}, request.labels).models)
      in_order.push_back(std::move(one));
  return in_order;
}

TrackSetting setting_of(const TrackRequest& request) {
  TrackSetting setting = request.setting;
  if (request.hub.targets) setting.labels = request.hub.targets;
  if (!request.labels.empty()) setting.labels = load_targets(request.labels);
  if (!request.prior.empty()) setting.prior = open_prior(request.prior).parts;
  return setting;
}

void note_inputs(const TrackRequest& request, TrackResult& result) {
  result.inputs.insert(result.inputs.end(), request.hub.inputs.begin(), request.hub.inputs.end());
  if (!request.labels.empty())
    result.inputs.push_back({request.labels, file_digest(request.labels)});
  for (const std::filesystem::path& file : label_files({request.prior}))
    result.inputs.push_back({file, file_digest(file)});
}

}  // namespace

TrackResult track_checkpoints(ThreadPool& pool, const TrackRequest& request,
                              const ProgressCallback& progress) {
  const std::vector<Model> models = checkpoints_of(request);
  const std::vector<SteppedModel> steps = models_by_step(models, request.steps);
  Tracker tracker(pool, setting_of(request));
  std::vector<FailedModel> failed = request.hub.failed;
  std::vector<FileDigest> digests;
  double done = 0.0;
  for (const SteppedModel& one : steps) {
    const Model& model = models[one.model];
    if (progress) progress(done++ / static_cast<double>(steps.size()), model.name);
    try {
      const Rows rows = open_rows(model);
      tracker.update(model.name, one.step, *rows);
      if (request.hub.models.empty())
        for (FileDigest& digest : rows->digests()) digests.push_back(std::move(digest));
    } catch (const Error& error) {
      failed.push_back({model.name, error.what()});
    }
  }
  TrackResult result = tracker.result();
  if (result.checkpoints.empty())
    fail_input(fmt::format("no checkpoint left to follow: {}",
                           failed.empty() ? "none was found" : failed.front().error));
  result.failed = std::move(failed);
  result.notes = request.hub.notes;
  result.inputs = std::move(digests);
  note_inputs(request, result);
  return result;
}

}  // namespace assay
