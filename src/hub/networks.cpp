#include "hub/networks.h"

#include <fmt/format.h>

#include <utility>

#include "assay/error.h"
#include "net/open_network.h"

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

NetworkSources networks_of(const std::vector<std::filesystem::path>& inputs) {
  NetworkList list = find_networks(inputs);
  NetworkSources out{{}, {}, std::move(list.notes)};
  for (const NetworkDescription& one : list.networks) out.networks.push_back(source_of(one));
  for (const FailedNetwork& one : list.failed) out.failed.push_back({one.name, one.error});
  return out;
}

NetworkSources require_networks(const std::vector<std::filesystem::path>& inputs) {
  NetworkSources found = networks_of(inputs);
  if (!found.networks.empty() || !found.failed.empty()) return found;
  fail_input(fmt::format(
      "{}: no networks found; expected a hub of networks, or .pt or .onnx files (files of "
      "features need no running: rank them with `labels`)",
      inputs.front().string()));
}

}  // namespace assay
