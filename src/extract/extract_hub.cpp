#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/extract.h"
#include "data/subset.h"
#include "extract/extracted_fields.h"
#include "images/images_digest.h"
#include "parts/shared_units.h"

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

WorkList networks_to_run(const ExtractRequest& request, const std::string& images) {
  WorkList list{"extract", {}, images};
  for (const NetworkSource& source : request.networks) list.units.push_back(source.name);
  return list;
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
  SharedUnits<ExtractedModel> units(request.options.share, networks_to_run(request, input.digest));
  const auto count = static_cast<Index>(request.networks.size());
  double finished = 0.0;
  for (Index i = 0; i < count; ++i) {
    if (!units.mine(i)) continue;
    const NetworkSource& source = request.networks[static_cast<std::size_t>(i)];
    const ProgressCallback within = [&](double done, const std::string& what) {
      if (progress) progress((finished + done) / static_cast<double>(units.count()), what);
    };
    units.run(i, [&] {
      try {
        return extract_network(pool, source, input, request.options, within);
      } catch (const std::exception& error) {  // a backend may throw anything
        fail_input(error.what());
      }
    });
    within(1.0, source.name);
    ++finished;
  }
  units.complete();
  for (Index i = 0; i < count; ++i) {
    try {
      result.models.push_back(units.take(i));
      add_notes(result.models.back(), result);
    } catch (const Error& error) {
      result.failed.push_back({request.networks[static_cast<std::size_t>(i)].name, error.what()});
    }
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
