#include "track/track_report.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text.h"
#include "report/json_values.h"
#include "report/table.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> moved(const std::optional<double>& value, const std::optional<double>& error,
                            double factor) {
  return value && error ? std::optional(*value + factor * *error) : std::nullopt;
}

std::string step_text(double step) { return fmt::format("{:g}", step); }

std::string value_text(const TrackedScore& score, double factor) {
  if (!score.value) return "-";
  const int digits = std::abs(*score.value) >= 100.0 ? 1 : std::abs(*score.value) >= 10.0 ? 2 : 4;
  std::string text = fmt::format("{:.{}f}", *score.value, digits);
  if (score.error) text += fmt::format(" ±{:.{}f}", factor * *score.error, digits);
  return text;
}

// A change whose interval leaves out zero gets its sign.
std::string change_mark(const TrackedScore& score, double factor) {
  if (!score.change || !score.change_error) return "";
  if (std::abs(*score.change) <= factor * *score.change_error) return " =";
  return *score.change > 0.0 ? " +" : " -";
}

}  // namespace

std::string track_table(const TrackResult& result, const Screen& screen) {
  const double factor = result.half_width_factor();
  TextTable table;
  table.add_column("step", Align::right, Keep::always);
  table.add_column("checkpoint", Align::left);
  for (std::size_t q = 0; q < result.quantities.size(); ++q) {
    const TrackedQuantity& one = result.quantities[q];
    table.add_column(one.title + (one.direction ? " ↑" : ""), Align::right,
                     q == result.by ? Keep::first : Keep::usual);
  }
  table.add_column("D", Align::right, Keep::detail);
  for (std::size_t k = 0; k < result.checkpoints.size(); ++k) {
    const Checkpoint& one = result.checkpoints[k];
    std::vector<std::string> cells = {step_text(one.step), one.name};
    for (const TrackedScore& score : one.scores)
      cells.push_back(value_text(score, factor) + change_mark(score, factor));
    cells.push_back(with_thousands(one.dim));
    table.add_row(std::move(cells), k == result.best ? Tone::strong : Tone::plain);
  }
  return table.str(screen);
}

std::string track_verdict(const TrackResult& result) {
  const TrackedQuantity& by = result.quantities[result.by];
  const Checkpoint& best = result.checkpoints[result.best];
  const TrackedScore& score = best.scores[result.by];
  const Checkpoint& last = result.checkpoints.back();
  std::string text =
      fmt::format("Best by {}: {} (step {}), {} {}.", by.title, best.name, step_text(best.step),
                  score.value ? fmt::format("{:.4f}", *score.value) : "-", by.unit);
  if (result.checkpoints.size() < 2) return text;
  if (result.still_improving()) {
    text += fmt::format(
        " The last checkpoint is better than those before it, with {:g} % "
        "confidence: still improving.",
        100.0 * result.level);
    return text;
  }
  const Checkpoint& since = result.checkpoints[result.improved_last];
  text += fmt::format(
      " No longer improving since step {}: none of the {} later checkpoints, up to step {}, is "
      "better than {} with {:g} % confidence for all together, on these {} samples. More samples "
      "could show a smaller gain.",
      step_text(since.step), result.checkpoints.size() - 1 - result.improved_last,
      step_text(last.step), since.name, 100.0 * result.level, with_thousands(last.n));
  return text;
}

Json checkpoint_json(const TrackResult& result, const Checkpoint& checkpoint) {
  const double factor = result.half_width_factor();
  Json json = {{"name", checkpoint.name},
               {"step", checkpoint.step},
               {"n", checkpoint.n},
               {"dim", checkpoint.dim},
               {"scores", Json::object()}};
  for (std::size_t q = 0; q < result.quantities.size(); ++q) {
    const TrackedScore& score = checkpoint.scores[q];
    json["scores"][result.quantities[q].name] = {
        {"value", or_null(score.value)},
        {"low", or_null(moved(score.value, score.error, -factor))},
        {"high", or_null(moved(score.value, score.error, factor))},
        {"change", or_null(score.change)},
        {"change_low", or_null(moved(score.change, score.change_error, -factor))},
        {"change_high", or_null(moved(score.change, score.change_error, factor))}};
  }
  return json;
}

Json track_json(const TrackResult& result) {
  Json json = {{"command", "track"},
               {"by", result.quantities[result.by].name},
               {"confidence", result.level}};
  for (const TrackedQuantity& one : result.quantities) {
    json["metrics"][one.name] = {
        {"title", one.title},
        {"unit", one.unit},
        {"direction", !one.direction                                  ? "none"
                      : *one.direction == Direction::higher_is_better ? "higher"
                                                                      : "lower"}};
  }
  const Checkpoint& since = result.checkpoints[result.improved_last];
  json["best"] = result.checkpoints[result.best].name;
  json["best_step"] = result.checkpoints[result.best].step;
  json["no_longer_improving_since"] = result.still_improving() ? Json(nullptr) : Json(since.step);
  json["verdict"] = track_verdict(result);
  json["models"] = Json::array();
  for (const Checkpoint& one : result.checkpoints)
    json["models"].push_back(checkpoint_json(result, one));
  json["failed"] = Json::array();
  for (const FailedModel& failed : result.failed)
    json["failed"].push_back({{"name", failed.name}, {"error", failed.error}});
  json["notes"] = result.notes;
  return json;
}

}  // namespace assay
