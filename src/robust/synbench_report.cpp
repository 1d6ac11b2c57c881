#include "robust/synbench_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/json_values.h"
#include "report/table.h"
#include "robust/robust_verdict.h"
#include "robust/synbench.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::string norm_name(Norm norm) {
  switch (norm) {
    case Norm::one:
      return "1";
    case Norm::two:
      return "2";
    case Norm::infinity:
      break;
  }
  return "inf";
}

// Half of a 95 % interval.
double half_width(double standard_error) {
  constexpr double quantile = 1.96;
  return quantile * standard_error;
}

std::string cell(const SynbenchScore& score) {
  if (!score.value) return "-";
  if (!score.calibrated) return fmt::format("{:.3f} (-)", *score.value);
  return fmt::format("{:.3f} ({:.3f} ±{:.3f})", *score.value, *score.calibrated,
                     half_width(*score.calibrated_se));
}

std::string epsilon_text(const std::optional<double>& epsilon) {
  return epsilon ? fmt::format("{}", *epsilon) : "-";
}

// Threshold accuracies of the curves: 0.5 to 0.99 and the last possible step before 1.
std::vector<double> curve_thresholds() {
  constexpr int first = 50;
  constexpr int last = 100;
  std::vector<double> out;
  for (int percent = first; percent < last; ++percent) out.push_back(percent / 100.0);
  return out;
}

Json curve(const std::vector<OperatingPoint>& points) {
  Json out = Json::array();
  for (const double threshold : curve_thresholds())
    out.push_back(expected_bound(points, threshold));
  return out;
}

std::string status_name(PointStatus status) {
  switch (status) {
    case PointStatus::ok:
      return "ok";
    case PointStatus::out_of_reach:
      return "out_of_reach";
    case PointStatus::degenerate:
      return "degenerate";
    case PointStatus::not_converged:
      break;
  }
  return "not_converged";
}

Json points_json(const std::vector<ScalePoint>& points) {
  Json out = Json::array();
  for (const ScalePoint& point : points) {
    const bool counts = point.status != PointStatus::out_of_reach;
    const auto number = [&](double value) { return counts ? Json(value) : Json(); };
    const auto debiased = [&](double value) {
      return counts && point.debiased.accuracy > 0.0 ? Json(value) : Json();
    };
    out.push_back({{"scale", point.scale},
                   {"accuracy", number(point.measured.accuracy)},
                   {"bound", number(point.measured.bound)},
                   {"accuracy_expected", number(point.expected.accuracy)},
                   {"bound_expected", number(point.expected.bound)},
                   {"accuracy_debiased", debiased(point.debiased.accuracy)},
                   {"bound_debiased", debiased(point.debiased.bound)},
                   {"accuracy_raw", number(point.reference.accuracy)},
                   {"bound_raw", number(point.reference.bound)},
                   {"status", status_name(point.status)}});
  }
  return out;
}

Json curves_json(const SynbenchModel& model, const SynbenchRequest& request) {
  Json out = Json::array();
  for (std::size_t e = 0; e < request.epsilons.size(); ++e) {
    const std::vector<ScalePoint>& points = model.points[e];
    const Index dropped = std::count_if(points.begin(), points.end(), [](const ScalePoint& point) {
      return point.status == PointStatus::out_of_reach;
    });
    out.push_back({{"epsilon", request.epsilons[e]},
                   {"expected_bound", curve(measured_points(points))},
                   {"expected_bound_raw", curve(reference_points(points))},
                   {"dropped_scales", dropped},
                   {"points", points_json(points)}});
  }
  return out;
}

Json model_json(const SynbenchModel& model, const SynbenchRequest& request) {
  Json scores = Json::array();
  for (const SynbenchScore& score : model.scores) {
    scores.push_back({{"epsilon", score.epsilon},
                      {"threshold", score.threshold},
                      {"value", or_null(score.value)},
                      {"value_se", or_null(score.value_se)},
                      {"calibrated", or_null(score.calibrated)},
                      {"calibrated_se", or_null(score.calibrated_se)},
                      {"expected", or_null(score.expected)},
                      {"reason", score.reason.empty() ? Json() : Json(score.reason)}});
  }
  Json best = Json::array();
  for (std::size_t t = 0; t < request.thresholds.size(); ++t) {
    best.push_back(
        {{"threshold", request.thresholds[t]}, {"epsilon", or_null(model.best_epsilons[t])}});
  }
  return {{"name", model.name},
          {"dim", model.dim},
          {"train", model.train},
          {"test", model.test},
          {"scales", model.scales},
          {"scores", scores},
          {"best_epsilon", or_null(model.best_epsilon())},
          {"best_epsilons", best},
          {"curves", curves_json(model, request)},
          {"notes", model.notes},
          {"seconds", model.seconds}};
}

}  // namespace

std::string robust_table(const SynbenchResult& result, const SynbenchRequest& request,
                         const Screen& screen) {
  TextTable table;
  table.add_column("threshold", Align::right, Keep::always);
  table.add_column("model", Align::left, Keep::always);
  for (const double epsilon : request.epsilons)
    table.add_column(fmt::format("ε = {} ↑", epsilon), Align::right);
  table.add_column("best ε", Align::right, Keep::first);
  for (const char* title : {"scales", "train", "test", "D", "seconds"})
    table.add_column(title, Align::right, Keep::detail);
  for (std::size_t t = 0; t < request.thresholds.size(); ++t) {
    for (const SynbenchModel& model : result.models) {
      std::vector<std::string> cells = {fmt::format("{}", request.thresholds[t]), model.name};
      for (std::size_t e = 0; e < request.epsilons.size(); ++e)
        cells.push_back(cell(model.scores[t * request.epsilons.size() + e]));
      cells.push_back(epsilon_text(model.best_epsilons[t]));
      cells.push_back(fmt::format("{}", model.scales.size()));
      for (const Index number : {model.train, model.test, model.dim})
        cells.push_back(with_thousands(number));
      cells.push_back(fmt::format("{:.2f}", model.seconds));
      table.add_row(std::move(cells));
    }
  }
  return table.str(screen) +
         "\nSynBench score and, in brackets, the calibrated one with half of a 95 % interval: "
         "without the bias\nof finite samples, 1 is the raw data, higher is better. The best ε is "
         "above all others by more\nthan its standard error, - where none is.\n";
}

Json robust_json(const SynbenchResult& result, const SynbenchRequest& request) {
  Json json;
  json["command"] = "robust score";
  json["norm"] = norm_name(request.norm);
  json["relative"] = request.relative;
  json["literal"] = request.eigenbasis;
  json["class_prior"] = request.class_prior;
  const auto file = [](const std::filesystem::path& path) {
    return path.empty() ? Json() : Json(path.string());
  };
  const bool given = request.world.mean || request.world.covariance;
  if (given || !request.mean.empty() || !request.covariance.empty())
    json["world"] = {{"mean", file(request.mean)}, {"covariance", file(request.covariance)}};
  json["curve_thresholds"] = curve_thresholds();
  const JudgedAt at = judged_at(request);
  json["judged_at"] = {{"epsilon", at.epsilon}, {"threshold", at.threshold}};
  json["not_separable_from_best"] = judge_models(result, at).not_separable;
  json["verdict"] = robust_verdict(result, request);
  json["models"] = Json::array();
  for (const SynbenchModel& model : result.models)
    json["models"].push_back(model_json(model, request));
  json["failed"] = Json::array();
  for (const FailedModel& failed : result.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  return json;
}

}  // namespace assay
