#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

Json interval_bound(const std::optional<CorrelationInterval>& interval,
                    double CorrelationInterval::*bound) {
  return interval ? Json((*interval).*bound) : Json(nullptr);
}

Json correlation_json(const ModelCorrelation& c) {
  return {{"models", c.models},
          {"pearson", or_null(c.pearson)},
          {"low", interval_bound(c.pearson_interval, &CorrelationInterval::low)},
          {"high", interval_bound(c.pearson_interval, &CorrelationInterval::high)},
          {"spearman", or_null(c.spearman)},
          {"spearman_low", interval_bound(c.spearman_interval, &CorrelationInterval::low)},
          {"spearman_high", interval_bound(c.spearman_interval, &CorrelationInterval::high)}};
}

std::string with_interval(double value, const std::optional<CorrelationInterval>& interval) {
  std::string text = fmt::format("{:+.2f}", value);
  if (interval) text += fmt::format(" [{:+.2f}, {:+.2f}]", interval->low, interval->high);
  return text;
}

std::string correlations_text(const ProbeTasksResult& result, const Screen& screen) {
  TextTable table;
  table.add_column("over models", Align::left, Keep::always);
  table.add_column("Spearman", Align::left, Keep::always);
  table.add_column("Pearson", Align::left);
  table.add_column("models", Align::right);
  for (const NamedCorrelation& c : result.correlations) {
    const bool none = !c.value.pearson || !c.value.spearman;
    table.add_row({c.text,
                   none ? "none" : with_interval(*c.value.spearman, c.value.spearman_interval),
                   none ? "none" : with_interval(*c.value.pearson, c.value.pearson_interval),
                   std::to_string(c.value.models)});
  }
  return "\nCorrelations without the prior's own model, 95 % intervals over models and tasks:\n" +
         table.str(screen);
}

double visible_sd(double variance) { return std::sqrt(std::max(0.0, variance)); }

}  // namespace

std::string probed_tasks_table(const ProbeTasksResult& result, const Screen& screen) {
  std::vector<const ProbedModel*> order;
  for (const ProbedModel& model : result.models) order.push_back(&model);
  std::stable_sort(order.begin(), order.end(), [](const ProbedModel* a, const ProbedModel* b) {
    return a->mean() > b->mean();
  });
  const bool closed = std::any_of(order.begin(), order.end(), [](const ProbedModel* model) {
    return model->closed_form.has_value();
  });
  TextTable table;
  table.add_column("model", Align::left, Keep::always);
  table.add_column("mean accuracy ↑", Align::right);
  table.add_column("sd over tasks ↓", Align::right);
  table.add_column("sd of testing", Align::right);
  table.add_column("worst 5 % ↑", Align::right);
  if (closed) {
    table.add_column("probe R² ↑", Align::right);
    table.add_column("mean per pair ↑", Align::right);
    table.add_column("sd per pair ↓", Align::right);
  }
  table.add_column("D", Align::right);
  for (const ProbedModel* model : order) {
    std::vector<std::string> row = {model->name, fmt::format("{:.4f}", model->mean()),
                                    fmt::format("{:.4f}", visible_sd(model->task_variance())),
                                    fmt::format("{:.4f}", visible_sd(model->test_noise)),
                                    fmt::format("{:.4f}", model->worst())};
    if (closed && model->closed_form) {
      row.push_back(fmt::format("{:.3f}", model->closed_form->probe_r2->value));
      row.push_back(fmt::format("{:.5g}", model->closed_form->expectation_per_pair()));
      row.push_back(fmt::format("{:.3g}", model->closed_form->sd_per_pair()));
    } else if (closed) {
      row.insert(row.end(), {"", "", ""});
    }
    row.push_back(with_thousands(model->dim));
    table.add_row(std::move(row));
  }
  std::string text = table.str(screen);
  text += fmt::format("{} tasks of {} classes on {} samples; always the commonest class: {:.4f}\n",
                      with_thousands(result.tasks), result.classes, with_thousands(result.count),
                      result.chance);
  return text + correlations_text(result, screen);
}

Json probed_tasks_json(const ProbeTasksResult& result) {
  Json json;
  json["command"] = "prior probe";
  json["tasks"] = result.tasks;
  json["n"] = result.count;
  json["classes"] = result.classes;
  json["chance"] = result.chance;
  json["verdict"] = probed_tasks_verdict(result);
  json["not_separable_from_best"] = not_separable_from_best_probe(result);
  json["models"] = Json::array();
  for (const ProbedModel& model : result.models) {
    Json row = {{"name", model.name},
                {"dim", model.dim},
                {"mean", model.mean()},
                {"variance", model.variance()},
                {"task_variance", model.task_variance()},
                {"test_noise", model.test_noise},
                {"worst_5_percent", model.worst()},
                {"worst_tasks", model.worst_tasks()},
                {"accuracy", list_of(model.accuracy)}};
    if (model.penalty > 0.0) row["penalty"] = model.penalty;
    if (model.closed_form) {
      row["temperature"] = model.closed_form->temperature;
      row["own_prior"] = model.closed_form->own;
      row["probe_r2"] = {{"value", model.closed_form->probe_r2->value},
                         {"sd", or_null(model.closed_form->probe_r2->sd)}};
      row["expectation"] = model.closed_form->moments.expectation;
      row["expectation_variance"] = model.closed_form->moments.variance;
      row["expectation_per_pair"] = model.closed_form->expectation_per_pair();
      row["sd_per_pair"] = model.closed_form->sd_per_pair();
    }
    json["models"].push_back(std::move(row));
  }
  json["correlation"] = Json::object();
  for (const NamedCorrelation& c : result.correlations)
    json["correlation"][c.name] = correlation_json(c.value);
  json["failed"] = failures_json(result.failed);
  return json;
}

}  // namespace assay
