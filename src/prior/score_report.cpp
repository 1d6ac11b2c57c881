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

std::vector<const PriorScore*> best_first(const PriorScoreResult& result) {
  std::vector<const PriorScore*> order;
  for (const PriorScore& score : result.scores) order.push_back(&score);
  std::stable_sort(order.begin(), order.end(), [](const PriorScore* a, const PriorScore* b) {
    if (a->prior != b->prior) return a->prior < b->prior;
    if (a->temperature != b->temperature) return a->temperature < b->temperature;
    if (a->probe_r2 && b->probe_r2) return a->probe_r2->value > b->probe_r2->value;
    return a->moments.expectation > b->moments.expectation;
  });
  return order;
}

// A value that was clipped is no measurement but a bound.
std::string probe_cell(const ProbeR2& share) {
  return share.clipped ? "0 (below)" : fmt::format("{:.3f}", share.value);
}

std::string cell_of(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

Json probe_json(const ProbeR2& share) {
  return {{"value", share.value},
          {"sd", or_null(share.sd)},
          {"task_mean", or_null(share.task_mean)},
          {"penalty", share.penalty},
          {"clipped", share.clipped}};
}

Json penalty_json(const RidgePenalty& penalty) {
  if (penalty.rule == RidgePenalty::Rule::value) return penalty.value;
  return penalty.rule == RidgePenalty::Rule::loo ? "loo" : "mean";
}

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
  const bool by_probe = result.scores.front().probe_r2.has_value();
  TextTable table;
  table.add_column(by_probe ? "probe R² ↑" : "mean per pair ↑", Align::left);
  for (const std::string& prior : priors) table.add_column(prior, Align::right);
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const std::string& prior : priors) {
      for (const PriorScore& score : result.scores)
        if (score.name == name && score.prior == prior)
          row.push_back(by_probe ? fmt::format("{:.3f}", score.probe_r2->value)
                                 : fmt::format("{:.5g}", score.expectation_per_pair()));
    }
    table.add_row(std::move(row));
  }
  return "\nEach model (row) under each prior (column):\n" + table.str(screen);
}

}  // namespace

std::string prior_score_table(const PriorScoreResult& result, Index pairs, const Screen& screen) {
  TextTable table;
  table.add_column("prior", Align::left, Keep::first);
  table.add_column("T", Align::right, Keep::first);
  table.add_column("model", Align::left, Keep::always);
  const bool by_probe = result.scores.front().probe_r2.has_value();
  if (by_probe) table.add_column("probe R² ↑", Align::right, Keep::always);
  if (screen.bars) table.add_column("", Align::left, Keep::last_resort);
  if (by_probe) table.add_column("sd over tasks", Align::right);
  table.add_column("mean per pair ↑", Align::right, by_probe ? Keep::first : Keep::always);
  table.add_column("sd per pair ↓", Align::right);
  table.add_column("E Tr(MG)", Align::right, Keep::detail);
  if (pairs > 0) table.add_column("± se", Align::right);
  table.add_column("Var Tr(MG)", Align::right, Keep::detail);
  const LabelFree& first = result.scores.front().label_free;
  if (first.rankme) table.add_column("RankMe", Align::right, Keep::detail);
  if (first.rankme) table.add_column("α-ReQ", Align::right, Keep::detail);
  if (first.lidar) table.add_column("LiDAR", Align::right, Keep::detail);
  table.add_column("n", Align::right, Keep::detail);
  table.add_column("D", Align::right, Keep::detail);
  for (const PriorScore* score : best_first(result)) {
    std::vector<std::string> row = {score->prior, fmt::format("{:.4g}", score->temperature),
                                    score->name};
    if (by_probe) row.push_back(probe_cell(*score->probe_r2));
    if (screen.bars) {
      const double mean = score->expectation_per_pair() / largest_mean(result);
      row.push_back(share_bar(by_probe ? score->probe_r2->value : mean, kBarWidth));
    }
    if (by_probe)
      row.push_back(score->probe_r2->sd ? fmt::format("{:.3f}", *score->probe_r2->sd) : "-");
    row.push_back(fmt::format("{:.5g}", score->expectation_per_pair()));
    row.push_back(fmt::format("{:.3g}", score->sd_per_pair()));
    row.push_back(fmt::format("{:.8g}", score->moments.expectation));
    if (pairs > 0) row.push_back(fmt::format("{:.2g}", score->moments.expectation_error));
    row.push_back(fmt::format("{:.5g}", score->moments.variance));
    if (first.rankme) row.push_back(cell_of(score->label_free.rankme, 1));
    if (first.rankme) row.push_back(cell_of(score->label_free.alpha_req, 2));
    if (first.lidar) row.push_back(cell_of(score->label_free.lidar, 1));
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
  json["model_kernel"] = kernel_name(request.model_kernel.value_or(request.kernel).kind);
  json["penalty"] = penalty_json(request.penalty);
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
                {"probe_r2", score->probe_r2 ? probe_json(*score->probe_r2) : Json(nullptr)},
                {"own_prior", score->own},
                {"rankme", or_null(score->label_free.rankme)},
                {"alpha_req", or_null(score->label_free.alpha_req)},
                {"lidar", or_null(score->label_free.lidar)},
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
  json["failed"] = failures_json(result.failed);
  return json;
}

}  // namespace assay
