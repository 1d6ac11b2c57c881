#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "prior/prior_report.h"
#include "report/json_values.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::string diversity_text(const SampledTasks& tasks, Index asked) {
  const TaskDiversity& d = tasks.diversity;
  std::string text =
      fmt::format("Largest class {:.1f} % of the samples on average, smallest {:.1f} %",
                  100.0 * d.largest_class, 100.0 * d.smallest_class);
  if (d.with_empty_class > 0)
    text += fmt::format("; {} of {} tasks lack a class", with_thousands(d.with_empty_class),
                        with_thousands(asked));
  text += "\n";
  if (!d.mean_ari) return text;
  return text + fmt::format(
                    "How alike two tasks are (adjusted Rand index: 0 not at all, 1 the same): "
                    "{:.2f}; as varied as {:.0f} unrelated tasks ({} compared)\n",
                    *d.mean_ari, *d.effective_tasks, with_thousands(d.compared));
}

// Of the samples drawn, task after task.
Json pictured_labels(const std::vector<Label>& all, const SampledTasks& tasks, Index shown) {
  Json out = Json::array();
  for (Index b = 0; b < shown; ++b) {
    Json labels = Json::array();
    for (const Index row : tasks.picture.rows)
      labels.push_back(all[static_cast<std::size_t>(b * tasks.count + row)]);
    out.push_back(std::move(labels));
  }
  return out;
}

}  // namespace

std::string sampled_tasks_table(const SampledTasks& tasks, const SampleTasksRequest& request) {
  constexpr Index most = 10;
  TextTable table;
  table.add_column("task", Align::right);
  table.add_column("largest class", Align::right);
  table.add_column("Tr(KG) per pair", Align::right);
  const Index shown = std::min(most, tasks.alignment.size());
  for (Index b = 0; b < shown; ++b) {
    table.add_row({std::to_string(b), fmt::format("{:.1f} %", 100.0 * tasks.largest[b]),
                   fmt::format("{:.5g}", tasks.alignment[b])});
  }
  if (tasks.alignment.size() > shown) table.add_row({"...", "", ""});
  table.add_row({"mean", fmt::format("{:.1f} %", 100.0 * tasks.diversity.largest_class),
                 fmt::format("{:.5g}", tasks.alignment.mean())});
  std::string text = table.str();
  text += fmt::format(
      "{} tasks of {} classes on {} samples at temperature {:.4g}{}, {}\n",
      with_thousands(tasks.alignment.size()), request.options.classes, with_thousands(tasks.count),
      tasks.temperature, tasks.chosen ? " (chosen)" : "",
      request.options.gibbs_sweeps > 0
          ? fmt::format("prefix sampler and {} Gibbs sweeps", request.options.gibbs_sweeps)
          : std::string("prefix sampler (Algorithm 1)"));
  return text + diversity_text(tasks, request.options.tasks);
}

Json sampled_tasks_json(const SampledTasks& tasks, const SampleTasksRequest& request) {
  Json json;
  json["command"] = "prior sample";
  json["kernel"] = kernel_name(request.kernel.kind);
  json["temperature"] = tasks.temperature;
  json["diversity_asked"] = tasks.chosen ? Json(request.diversity) : Json(nullptr);
  json["classes"] = request.options.classes;
  json["tasks"] = request.options.tasks;
  json["n"] = tasks.count;
  json["sampler"] = request.options.gibbs_sweeps > 0
                        ? fmt::format("gibbs:{}", request.options.gibbs_sweeps)
                        : std::string("prefix");
  json["mean_ari"] = or_null(tasks.diversity.mean_ari);
  json["effective_tasks"] = or_null(tasks.diversity.effective_tasks);
  json["tasks_compared"] = tasks.diversity.compared;
  json["class_balance"] = {{"largest", tasks.diversity.largest_class},
                           {"smallest", tasks.diversity.smallest_class},
                           {"tasks_with_empty_class", tasks.diversity.with_empty_class}};
  json["trace_per_pair"] = list_of(tasks.alignment);
  json["largest_class"] = list_of(tasks.largest);
  Json picture = {{"rows", tasks.picture.rows},
                  {"x", list_of(tasks.picture.x)},
                  {"y", list_of(tasks.picture.y)},
                  {"labels", Json::array()}};
  const Index shown = std::min(request.pictured, request.options.tasks);
  if (shown > 0) picture["labels"] = pictured_labels(tasks.labels, tasks, shown);
  picture["elsewhere"] = Json::array();
  for (const TasksElsewhere& other : tasks.elsewhere)
    picture["elsewhere"].push_back({{"temperature", other.temperature},
                                    {"labels", pictured_labels(other.labels, tasks, shown)}});
  json["picture"] = std::move(picture);
  return json;
}

}  // namespace assay
