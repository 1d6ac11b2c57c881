#include <fmt/format.h>

#include <optional>
#include <utility>

#include "assay/error.h"
#include "assay/extract.h"
#include "assay/images.h"
#include "extract/keep_drawn.h"
#include "hub/networks.h"

namespace assay {
namespace {

ExtractedHub extract_part(ThreadPool& pool, const NetworkSources& found, LabelledImages part,
                          const std::string& dataset, const DataRequest& wanted,
                          const ProgressCallback& progress) {
  const ExtractRequest request{found.networks, std::move(part), dataset, wanted.data,
                               wanted.options};
  ExtractedHub out{dataset, request.data.images->count(), {}, {}};
  out.result = extract_hub(pool, request, progress);
  out.result.failed.insert(out.result.failed.begin(), found.failed.begin(), found.failed.end());
  out.result.notes.insert(out.result.notes.begin(), found.notes.begin(), found.notes.end());
  if (out.result.models.empty()) {
    std::string reasons;
    for (const FailedModel& failed : out.result.failed)
      reasons += fmt::format("\n  {}: {}", failed.name, failed.error);
    fail_input(fmt::format("no network could be run:{}", reasons));
  }
  out.hub = hub_of_extracted(out.result, request.data, wanted.options.views);
  return out;
}

}  // namespace

ExtractedHub extract_inputs(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                            const DataRequest& request, const ProgressCallback& progress) {
  const SplitChoice choice = parse_split(request.split);
  const NetworkSources found = require_networks(inputs);
  ImageData data = open_image_data(request.data);
  const std::string name = data.name;
  LabelledImages part = choose_part(std::move(data), choice, request.options.seed);
  std::optional<DrawnRows> drawn;
  // Files of features in the same hub have a row for every image.
  if (request.subsample && list_models(inputs, {}).models.empty())
    drawn = keep_drawn(*request.subsample, request.options.seed, part);
  ExtractedHub out = extract_part(pool, found, std::move(part), name, request, progress);
  out.hub.drawn = std::move(drawn);
  return out;
}

ExtractedParts extract_parts(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                             const DataRequest& request, const ProgressCallback& progress) {
  const SplitChoice choice = parse_split(request.split);
  const NetworkSources found = require_networks(inputs);
  ImageData data = open_image_data(request.data);
  if (choice.share) data = split_image_data(std::move(data), *choice.share, request.options.seed);
  const std::string name = data.name;
  ExtractedParts parts;
  parts.train = extract_part(pool, found, std::move(data.train), name, request, progress);
  if (data.test) {
    parts.test = extract_part(pool, found, std::move(*data.test), name, request, progress);
  }
  return parts;
}

}  // namespace assay
