#include "prior/prior_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const PriorScore*> best_first(const PriorScoreResult& result) {
  std::vector<const PriorScore*> order;
  for (const PriorScore& score : result.scores) order.push_back(&score);
  std::stable_sort(order.begin(), order.end(), [](const PriorScore* a, const PriorScore* b) {
    if (a->prior != b->prior) return a->prior < b->prior;
    if (a->temperature != b->temperature) return a->temperature < b->temperature;
    return a->moments.expectation > b->moments.expectation;
  });
  return order;
}

Json failures(const std::vector<FailedModel>& failed) {
  Json out = Json::array();
  for (const FailedModel& model : failed)
    out.push_back({{"name", model.name}, {"error", model.error}});
  return out;
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json correlation_json(const ModelCorrelation& c) {
  return {{"pearson", number(c.pearson)},
          {"low", number(c.low)},
          {"high", number(c.high)},
          {"spearman", number(c.spearman)}};
}

std::string correlation_text(const ModelCorrelation& c) {
  if (!c.pearson) return "none (all models alike, or fewer than two)";
  std::string text = fmt::format("{:+.2f}", *c.pearson);
  if (c.low) text += fmt::format(" [{:+.2f}, {:+.2f}]", *c.low, *c.high);
  if (c.spearman) text += fmt::format(", of ranks {:+.2f}", *c.spearman);
  return text;
}

double mean_of(const Vector& values) { return values.size() > 0 ? values.mean() : 0.0; }

std::vector<double> list(const Vector& values) { return {values.begin(), values.end()}; }

constexpr int kBarWidth = 12;

double largest_mean(const PriorScoreResult& result) {
  double largest = 0.0;
  for (const PriorScore& score : result.scores)
    largest = std::max(largest, score.expectation_per_pair());
  return largest;
}

// The grid of the paper's Figure 5: one row per model, one column per prior.
std::string prior_grid(const PriorScoreResult& result, const Screen& screen) {
  std::vector<std::string> priors;
  std::vector<std::string> names;
  const auto add = [](std::vector<std::string>& to, const std::string& name) {
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
  };
  for (const PriorScore& score : result.scores) {
    add(priors, score.prior);
    add(names, score.name);
  }
  const bool one_temperature =
      result.scores.size() == priors.size() * names.size();  // else a grid would hide rows
  if (priors.size() < 2 || !one_temperature) return {};
  TextTable table;
  table.add_column("mean per pair ↑", Align::left);
  for (const std::string& prior : priors) table.add_column(prior, Align::right);
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const std::string& prior : priors) {
      for (const PriorScore& score : result.scores)
        if (score.name == name && score.prior == prior)
          row.push_back(fmt::format("{:.5g}", score.expectation_per_pair()));
    }
    table.add_row(std::move(row));
  }
  return "\nEach model (row) under each prior (column):\n" + table.str(screen);
}

}  // namespace

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
  }
  return "";
}

std::string_view graph_name(Graph graph) {
  return graph == Graph::directed ? "directed" : "undirected";
}

std::string prior_score_table(const PriorScoreResult& result, Index pairs, const Screen& screen) {
  TextTable table;
  table.add_column("prior", Align::left, Keep::first);
  table.add_column("T", Align::right, Keep::first);
  table.add_column("model", Align::left, Keep::always);
  table.add_column("mean per pair ↑", Align::right, Keep::always);
  if (screen.bars) table.add_column("", Align::left, Keep::last_resort);
  table.add_column("sd per pair ↓", Align::right);
  table.add_column("E Tr(MG)", Align::right, Keep::detail);
  if (pairs > 0) table.add_column("± se", Align::right);
  table.add_column("Var Tr(MG)", Align::right, Keep::detail);
  table.add_column("n", Align::right, Keep::detail);
  table.add_column("D", Align::right, Keep::detail);
  for (const PriorScore* score : best_first(result)) {
    std::vector<std::string> row = {score->prior, fmt::format("{:.4g}", score->temperature),
                                    score->name,
                                    fmt::format("{:.5g}", score->expectation_per_pair())};
    if (screen.bars)
      row.push_back(share_bar(score->expectation_per_pair() / largest_mean(result), kBarWidth));
    row.push_back(fmt::format("{:.3g}", score->sd_per_pair()));
    row.push_back(fmt::format("{:.8g}", score->moments.expectation));
    if (pairs > 0) row.push_back(fmt::format("{:.2g}", score->moments.expectation_error));
    row.push_back(fmt::format("{:.5g}", score->moments.variance));
    row.push_back(with_thousands(score->n));
    row.push_back(with_thousands(score->dim));
    table.add_row(std::move(row));
  }
  std::string text = table.str(screen) + prior_grid(result, screen);
  if (result.alignments.empty()) return text;
  TextTable labelled;
  labelled.add_column("model", Align::left);
  labelled.add_column("Tr(MG) of the labels ↑", Align::right);
  labelled.add_column("best linear probe's squared error ↓", Align::right);
  for (const LabelAlignment& alignment : result.alignments) {
    labelled.add_row({alignment.name, fmt::format("{:.8g}", alignment.trace),
                      fmt::format("{:.5f}", alignment.probe_mse)});
  }
  return text + "\nThe labels given (Theorem 3.3):\n" + labelled.str(screen);
}

Json prior_score_json(const PriorScoreResult& result, const PriorScoreRequest& request) {
  Json json;
  json["command"] = "prior score";
  json["kernel"] = kernel_name(request.kernel.kind);
  json["centered"] = request.kernel.center;
  json["graph"] = graph_name(request.graph);
  json["pairs"] = request.pairs > 0 ? Json(request.pairs) : Json(nullptr);
  json["models"] = Json::array();
  for (const PriorScore* score : best_first(result)) {
    Json row = {{"name", score->name},
                {"prior", score->prior},
                {"temperature", score->temperature},
                {"expectation", score->moments.expectation},
                {"variance", score->moments.variance},
                {"expectation_per_pair", score->expectation_per_pair()},
                {"sd_per_pair", score->sd_per_pair()},
                {"n", score->n},
                {"dim", score->dim}};
    if (request.pairs > 0) {
      row["expectation_standard_error"] = score->moments.expectation_error;
      row["variance_standard_error"] = score->moments.variance_error;
    }
    for (const LabelAlignment& alignment : result.alignments) {
      if (alignment.name != score->name) continue;
      row["label_trace"] = alignment.trace;
      row["label_probe_mse"] = alignment.probe_mse;
    }
    json["models"].push_back(std::move(row));
  }
  json["failed"] = failures(result.failed);
  return json;
}

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
  table.add_row({"mean", fmt::format("{:.1f} %", 100.0 * mean_of(tasks.largest)),
                 fmt::format("{:.5g}", mean_of(tasks.alignment))});
  std::string text = table.str();
  text += fmt::format(
      "{} tasks of {} classes on {} samples at temperature {:.4g}, {}\n",
      with_thousands(tasks.alignment.size()), request.options.classes, with_thousands(tasks.count),
      tasks.temperature,
      request.options.gibbs_sweeps > 0
          ? fmt::format("prefix sampler and {} Gibbs sweeps", request.options.gibbs_sweeps)
          : std::string("prefix sampler (Algorithm 1)"));
  if (!tasks.alike) return text;
  return text + fmt::format(
                    "How alike two tasks are (adjusted Rand index: 0 not at all, 1 the same): "
                    "{:.2f}\n",
                    *tasks.alike);
}

Json sampled_tasks_json(const SampledTasks& tasks, const SampleTasksRequest& request) {
  Json json;
  json["command"] = "prior sample";
  json["kernel"] = request.from_kernel ? Json("file") : Json(kernel_name(request.kernel.kind));
  json["temperature"] = tasks.temperature;
  json["classes"] = request.options.classes;
  json["tasks"] = request.options.tasks;
  json["n"] = tasks.count;
  json["sampler"] = request.options.gibbs_sweeps > 0
                        ? fmt::format("gibbs:{}", request.options.gibbs_sweeps)
                        : std::string("prefix");
  json["alike"] = number(tasks.alike);
  json["trace_per_pair"] = list(tasks.alignment);
  json["largest_class"] = list(tasks.largest);
  Json picture = {{"rows", tasks.picture.rows},
                  {"x", list(tasks.picture.x)},
                  {"y", list(tasks.picture.y)},
                  {"labels", Json::array()}};
  for (Index b = 0; b < std::min(request.pictured, request.options.tasks); ++b) {
    Json labels = Json::array();
    for (const Index row : tasks.picture.rows)
      labels.push_back(tasks.labels[static_cast<std::size_t>(b * tasks.count + row)]);
    picture["labels"].push_back(std::move(labels));
  }
  json["picture"] = std::move(picture);
  return json;
}

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
  table.add_column("worst 5 % ↑", Align::right);
  if (closed) {
    table.add_column("closed form: mean per pair ↑", Align::right);
    table.add_column("sd per pair ↓", Align::right);
  }
  table.add_column("D", Align::right);
  for (const ProbedModel* model : order) {
    std::vector<std::string> row = {model->name, fmt::format("{:.4f}", model->mean()),
                                    fmt::format("{:.4f}", std::sqrt(model->variance())),
                                    fmt::format("{:.4f}", model->worst())};
    if (closed && model->closed_form) {
      row.push_back(fmt::format("{:.5g}", model->closed_form->expectation_per_pair()));
      row.push_back(fmt::format("{:.3g}", model->closed_form->sd_per_pair()));
    } else if (closed) {
      row.insert(row.end(), {"", ""});
    }
    row.push_back(with_thousands(model->dim));
    table.add_row(std::move(row));
  }
  std::string text = table.str(screen);
  text += fmt::format("{} tasks of {} classes on {} samples; always the commonest class: {:.4f}\n",
                      with_thousands(result.tasks), result.classes, with_thousands(result.count),
                      result.chance);
  if (!closed) return text;
  text += fmt::format("Correlation over models, 95 % interval: mean accuracy with E Tr(MG) {}\n",
                      correlation_text(result.mean));
  return text +
         fmt::format("                                        variance with Var Tr(MG)   {}\n",
                     correlation_text(result.variance));
}

Json probed_tasks_json(const ProbeTasksResult& result) {
  Json json;
  json["command"] = "prior probe";
  json["tasks"] = result.tasks;
  json["n"] = result.count;
  json["classes"] = result.classes;
  json["chance"] = result.chance;
  json["models"] = Json::array();
  for (const ProbedModel& model : result.models) {
    Json row = {{"name", model.name},
                {"dim", model.dim},
                {"mean", model.mean()},
                {"variance", model.variance()},
                {"worst_5_percent", model.worst()},
                {"accuracy", list(model.accuracy)}};
    if (model.penalty > 0.0) row["penalty"] = model.penalty;
    if (model.closed_form) {
      row["temperature"] = model.closed_form->temperature;
      row["expectation"] = model.closed_form->moments.expectation;
      row["expectation_variance"] = model.closed_form->moments.variance;
      row["expectation_per_pair"] = model.closed_form->expectation_per_pair();
      row["sd_per_pair"] = model.closed_form->sd_per_pair();
    }
    json["models"].push_back(std::move(row));
  }
  json["correlation"] = {{"mean", correlation_json(result.mean)},
                         {"variance", correlation_json(result.variance)}};
  json["failed"] = failures(result.failed);
  return json;
}

}  // namespace assay
