#include "robust/robust_probe_report.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "report/json_values.h"
#include "report/table.h"
#include "robust/corruption.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;
using Heads = std::vector<const RobustHeadResult*>;

// Heads of one epsilon, in the order the epsilons were asked for.
std::vector<Heads> by_epsilon(const RobustProbeModel& model) {
  std::vector<Heads> out;
  for (const RobustHeadResult& head : model.heads) {
    if (out.empty() || out.back().front()->epsilon != head.epsilon) out.emplace_back();
    out.back().push_back(&head);
  }
  return out;
}

// "0.812", "0.812 ±0.010" over several seeds.
std::string mean_text(const Heads& heads,
                      const std::function<double(const RobustAccuracy&)>& value) {
  const auto count = static_cast<double>(heads.size());
  double mean = 0.0;
  for (const RobustHeadResult* head : heads) mean += value(head->accuracy) / count;
  if (heads.size() < 2) return fmt::format("{:.3f}", mean);
  double squares = 0.0;
  for (const RobustHeadResult* head : heads) squares += std::pow(value(head->accuracy) - mean, 2.0);
  return fmt::format("{:.3f} ±{:.3f}", mean, std::sqrt(squares / (count - 1.0)));
}

Json head_json(const RobustHeadResult& head) {
  Json entry = {{"epsilon", head.epsilon},
                {"seed", head.seed},
                {"clean_accuracy", head.accuracy.clean},
                {"attacks", Json::array()},
                {"corruption_accuracy", head.accuracy.mean_corruption()},
                {"corruptions", Json::object()},
                {"seconds", head.seconds}};
  for (const AttackedAccuracy& attack : head.accuracy.attacks) {
    entry["attacks"].push_back({{"epsilon", attack.epsilon},
                                {"accuracy", attack.accuracy},
                                {"success_rate", attack.success},
                                {"pgd_accuracy", attack.pgd_accuracy}});
  }
  for (std::size_t c = 0; c < kCorruptions.size(); ++c)
    entry["corruptions"][std::string(corruption_name(kCorruptions[c]))] =
        head.accuracy.corruptions[c];
  return entry;
}

}  // namespace

double RobustAccuracy::mean_corruption() const {
  double sum = 0.0;
  for (const auto& kind : corruptions)
    for (const double one : kind) sum += one;
  return sum / static_cast<double>(corruptions.size() * corruptions.front().size());
}

std::string robust_probe_table(const RobustProbeResult& result, const Screen& screen) {
  TextTable table;
  table.add_column("model", Align::left);
  table.add_column("trained ε", Align::right);
  table.add_column("clean ↑", Align::right);
  for (const AttackedAccuracy& attack : result.models.front().heads.front().accuracy.attacks) {
    table.add_column(fmt::format("attacked ε = {} ↑", attack.epsilon), Align::right);
    table.add_column("success ↓", Align::right);
  }
  table.add_column("corrupted ↑", Align::right);
  for (const RobustProbeModel& model : result.models) {
    for (const Heads& heads : by_epsilon(model)) {
      std::vector<std::string> row = {
          model.name, fmt::format("{}", heads.front()->epsilon),
          mean_text(heads, [](const RobustAccuracy& one) { return one.clean; })};
      for (std::size_t a = 0; a < heads.front()->accuracy.attacks.size(); ++a) {
        row.push_back(
            mean_text(heads, [a](const RobustAccuracy& one) { return one.attacks[a].accuracy; }));
        row.push_back(
            mean_text(heads, [a](const RobustAccuracy& one) { return one.attacks[a].success; }));
      }
      row.push_back(
          mean_text(heads, [](const RobustAccuracy& one) { return one.mean_corruption(); }));
      table.add_row(std::move(row));
    }
  }
  return table.str(screen);
}

Json robust_probe_json(const RobustProbeResult& result) {
  Json json = {{"command", "robust probe"}, {"dataset", result.dataset}, {"train", result.train},
               {"test", result.test},       {"models", Json::array()},   {"notes", result.notes},
               {"failed", Json::array()}};
  for (const RobustProbeModel& model : result.models) {
    Json heads = Json::array();
    for (const RobustHeadResult& head : model.heads) heads.push_back(head_json(head));
    json["models"].push_back(
        {{"name", model.name}, {"best_epsilon", or_null(model.best_epsilon)}, {"probes", heads}});
  }
  for (const FailedModel& one : result.failed)
    json["failed"].push_back({{"name", one.name}, {"error", one.error}});
  return json;
}

}  // namespace assay
