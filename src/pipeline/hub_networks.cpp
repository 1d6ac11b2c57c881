#include "assay/pipeline/hub_networks.h"

#include <fmt/format.h>

#include <utility>

#include "assay/core/error.h"
#include "assay/dataset/image_data.h"

#if __has_include("assay/net/open_network.h")
#include "assay/net/open_network.h"
#define ASSAY_HAS_BACKENDS 1
#endif

namespace assay {

#ifdef ASSAY_HAS_BACKENDS
namespace {

NetworkSource source_of(const NetworkDescription& description) {
  NetworkSource source{
      description.name, description.file, description.preprocessing, -1, 0, {}, {}};
  if (description.classes) source.classes = *description.classes;
  source.params = description.params;
  source.recipe = fmt::format("{} features {} logits {}", backend_name(description.backend),
                              description.feature_output, description.logits_output);
  source.open = [description] { return open_network(description); };
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
#else
HubNetworks networks_of(const std::vector<std::filesystem::path>& inputs) {
  HubNetworks out;
  for (const std::filesystem::path& file : list_models(inputs, {}).networks) {
    const auto open = [file]() -> std::unique_ptr<Network> {
      fail_input(fmt::format("{}: this build cannot run networks", file.string()));
    };
    out.networks.push_back({file.stem().string(), file, {}, -1, 0, {}, open});
  }
  return out;
}
#endif

ExtractedHub extract_inputs(ThreadPool& pool, const std::vector<std::filesystem::path>& inputs,
                            const DataRequest& request, const ProgressCallback& progress) {
  const SplitChoice choice = parse_split(request.split);
  HubNetworks found = networks_of(inputs);
  if (found.networks.empty() && found.failed.empty()) {
    fail_input(
        fmt::format("{}: no networks found (.pt or .onnx); --data is for them, --labels for "
                    "files of features",
                    inputs.front().string()));
  }
  ImageData data = open_image_data(request.data);
  const std::string name = data.name;
  ExtractRequest extraction{std::move(found.networks),
                            choose_part(std::move(data), choice, request.options.seed), name,
                            request.options};
  const ExtractResult result = extract_hub(pool, extraction, progress);
  ExtractedHub hub = extracted_hub(result, extraction.data, request.options.views);
  hub.failed.insert(hub.failed.begin(), found.failed.begin(), found.failed.end());
  hub.notes.insert(hub.notes.begin(), found.notes.begin(), found.notes.end());
  return hub;
}

}  // namespace assay
