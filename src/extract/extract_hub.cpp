#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/extract.h"
#include "data/subset.h"
#include "images/images_digest.h"

namespace assay {
namespace {

// Row i of the images is rows i V ... i V + V - 1 of the features.
Targets repeated(const Targets& targets, Index views) {
  if (views == 1) return targets;
  std::vector<Index> rows;
  for (Index i = 0; i < targets.rows() * views; ++i) rows.push_back(i / views);
  return targets_of_rows(targets, rows);
}

std::string layer_name(const std::string& model, const std::string& layer) {
  std::string name = fmt::format("{}@{}", model, layer);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

void add_notes(const ExtractedModel& model, ExtractResult& result) {
  if (model.rebuilt > 0) {
    result.notes.push_back(fmt::format("{}: {} damaged shard(s) in the cache were made anew",
                                       model.name, model.rebuilt));
  }
}

}  // namespace

ExtractResult extract_hub(ThreadPool& pool, const ExtractRequest& request,
                          const ProgressCallback& progress) {
  ExtractResult result;
  const ImageInput input{request.data.images, request.dataset,
                         images_digest(pool, *request.data.images)};
  result.images = {request.path, input.digest};
  const auto count = static_cast<double>(request.networks.size());
  double finished = 0.0;
  for (const NetworkSource& source : request.networks) {
    const ProgressCallback within = [&](double done, const std::string& what) {
      if (progress) progress((finished + done) / count, what);
    };
    try {
      result.models.push_back(extract_network(pool, source, input, request.options, within));
      add_notes(result.models.back(), result);
    } catch (const std::exception& error) {  // a backend may throw anything
      result.failed.push_back({source.name, error.what()});
    }
    within(1.0, source.name);
    ++finished;
  }
  return result;
}

Hub hub_of_extracted(const ExtractResult& result, const LabelledImages& data, Index views) {
  Hub hub{.targets = repeated(data.targets, views),
          .failed = result.failed,
          .notes = result.notes,
          .inputs = {result.images}};
  for (const ExtractedModel& model : result.models) {
    hub.inputs.push_back(model.weights);
    for (const ExtractedOutput& output : model.outputs) {
      const bool alone = model.outputs.size() == 1;
      Model files{alone ? model.name : layer_name(model.name, output.name), output.shards, {}};
      if (model.probabilities) files.probabilities = model.probabilities->shards;
      hub.costs[files.name] = model.cost;
      hub.models.push_back(std::move(files));
    }
  }
  return hub;
}

}  // namespace assay
