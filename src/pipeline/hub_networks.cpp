#include "assay/pipeline/hub_networks.h"

#include <fmt/format.h>

#include <utility>

#include "assay/core/error.h"
#include "assay/dataset/image_data.h"
#include "assay/net/open_network.h"

namespace assay {
namespace {

NetworkSource source_of(const NetworkDescription& description) {
  NetworkSource source{
      description.name, description.file, description.preprocessing, -1, 0, {}, {}};
  if (description.classes) source.classes = *description.classes;
  source.params = description.params;
  source.recipe = fmt::format("{} features {} logits {}", backend_name(description.backend),
                              description.feature_output, description.logits_output);
  source.open = [description] { return open_network(description); };
  source.train = [description](int threads) { return open_trainer(description, threads); };
  return source;
}

}  // namespace

HubNetworks networks_of(const std::vector<std::filesystem::path>& inputs) {
  NetworkList list = find_networks(inputs);
  HubNetworks out{{}, {}, std::move(list.notes)};
  for (const NetworkDescription& one : list.networks) out.networks.push_back(source_of(one));
  for (const FailedNetwork& one : list.failed) out.failed.push_back({one.name, one.error});
  return out;
}

HubNetworks required_networks(const std::vector<std::filesystem::path>& inputs) {
  HubNetworks found = networks_of(inputs);
  if (!found.networks.empty() || !found.failed.empty()) return found;
  fail_input(fmt::format(
      "{}: no networks found; expected a hub of networks, or .pt or .onnx files (files of "
      "features need no running: rank them with --labels)",
      inputs.front().string()));
}

namespace {

ExtractedInputs extract_part(ThreadPool& pool, const HubNetworks& found, LabelledImages part,
                             const std::string& dataset, const DataRequest& wanted,
                             const ProgressCallback& progress) {
  const ExtractRequest request{found.networks, std::move(part), dataset, wanted.data,
                               wanted.options};
  ExtractedInputs out{dataset, request.data.images->count(), {}, {}};
  out.result = extract_hub(pool, request, progress);
  out.result.failed.insert(out.result.failed.begin(), found.failed.begin(), found.failed.end());
  out.result.notes.insert(out.result.notes.begin(), found.notes.begin(), found.notes.end());
  if (out.result.models.empty()) {
    std::string reasons;
    for (const FailedModel& failed : out.result.failed)
      reasons += fmt::format("\n  {}: {}", failed.name, failed.error);
    fail_input(fmt::format("no network could be run:{}", reasons));
  }
  out.hub = extracted_hub(out.result, request.data, wanted.options.views);
  return out;
}

}  // namespace

ExtractedInputs extract_inputs(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                               const DataRequest& request, const ProgressCallback& progress) {
  const SplitChoice choice = parse_split(request.split);
  const HubNetworks found = required_networks(inputs);
  ImageData data = open_image_data(request.data);
  const std::string name = data.name;
  return extract_part(pool, found, choose_part(std::move(data), choice, request.options.seed), name,
                      request, progress);
}

ExtractedParts extract_parts(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                             const DataRequest& request, const ProgressCallback& progress) {
  const SplitChoice choice = parse_split(request.split);
  const HubNetworks found = required_networks(inputs);
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
