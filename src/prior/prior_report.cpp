#include "prior/prior_report.h"

namespace assay {

std::string_view kernel_name(KernelKind kind) {
  switch (kind) {
    case KernelKind::cosine:
      return "cosine";
    case KernelKind::linear:
      return "linear";
    case KernelKind::rbf:
      return "rbf";
    case KernelKind::projection:
      return "projection";
    case KernelKind::ridge:
      return "ridge";
  }
  return "";
}

std::string_view graph_name(Graph graph) {
  return graph == Graph::directed ? "directed" : "undirected";
}

nlohmann::ordered_json failures_json(const std::vector<FailedModel>& failed) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const FailedModel& model : failed)
    out.push_back({{"name", model.name}, {"error", model.error}});
  return out;
}

std::vector<double> list_of(const Vector& values) { return {values.begin(), values.end()}; }

}  // namespace assay
