#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "rank/rank_report.h"
#include "report/csv_cell.h"
#include "report/table.h"

namespace assay {
namespace {

std::optional<double> detail(const Score& score, std::string_view name) {
  for (const auto& [key, value] : score.details) {
    if (key == name) return value;
  }
  return {};
}

// "uninformative 2/3": how many of the target columns a flag applies to.
std::string flag_text(const Score& score) {
  std::string text;
  for (const std::string& flag : score.flags) {
    const std::optional<double> hits = detail(score, flag + "_columns");
    text += text.empty() ? "" : ", ";
    text += hits ? fmt::format("{} {}/{}", flag, *hits, score.columns.size()) : flag;
  }
  return text;
}

std::string range_text(const Place& place) {
  if (!place.rank_low) return "-";
  return *place.rank_low == *place.rank_high
             ? fmt::format("{}", *place.rank_low)
             : fmt::format("{}-{}", *place.rank_low, *place.rank_high);
}

// With --subsample: the spread over draws.
bool shows_spread(const RankResult& result) { return result.draws > 1; }

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

// One metric has room for its interval; several share a line, each with its half-width.
std::string value_text(const MetricScore& score, const RankResult& result) {
  if (result.metrics.size() == 1) return number_text(score.score.value);
  if (!std::isfinite(score.score.value)) return "-";
  std::string text = fmt::format("{:.3f}", score.score.value);
  const std::optional<Interval> interval = score_interval(score, result.ranking.level);
  const std::optional<double> sd = detail(score.score, "sd");
  if (interval) text += fmt::format(" ±{:.3f}", 0.5 * (interval->high - interval->low));
  if (sd) text += fmt::format(" ±{:.3f}", *sd);
  return text;
}

std::string flags_of(const ScoredModel& model, bool named) {
  std::string flags;
  for (const MetricScore& score : model.scores) {
    const std::string text = flag_text(score.score);
    if (text.empty()) continue;
    flags += (flags.empty() ? "" : "; ") +
             (named ? fmt::format("{}: {}", score.metric->name, text) : text);
  }
  return flags;
}

bool shows_costs(const RankResult& result) {
  return std::any_of(result.models.begin(), result.models.end(),
                     [](const ScoredModel& model) { return model.cost.has_value(); });
}

// Latency, front, parameters, size.
std::vector<std::string> cost_cells(const ScoredModel& model) {
  if (!model.cost) return {"-", "", "-", "-"};
  const ModelCost& cost = *model.cost;
  return {fmt::format("{:.2f}", cost.latency_ms), model.pareto ? "*" : "",
          cost.params > 0 ? with_thousands(cost.params) : "-", human_bytes(cost.bytes)};
}

std::vector<std::string> score_cells(const ScoredModel& model, const RankResult& result) {
  std::vector<std::string> cells;
  const double level = result.ranking.level;
  const bool alone = result.metrics.size() == 1;
  double seconds = 0.0;
  for (const MetricScore& score : model.scores) {
    cells.push_back(value_text(score, result));
    seconds += score.seconds;
    if (!alone) continue;
    const std::optional<Interval> interval = score_interval(score, level);
    if (level > 0.0) {
      cells.push_back(interval ? fmt::format("[{:.4f}, {:.4f}]", interval->low, interval->high)
                               : "-");
    }
    if (shows_spread(result)) {
      const std::optional<double> sd = detail(score.score, "sd");
      cells.push_back(sd ? fmt::format("{:.4f}", *sd) : "-");
    }
    if (const std::optional<double> gain = detail(score.score, "gain"))
      cells.push_back(fmt::format("{:+.4f}", *gain));
  }
  cells.push_back(with_thousands(model.samples));
  cells.push_back(with_thousands(model.dim));
  if (shows_costs(result)) {
    for (std::string& cell : cost_cells(model)) cells.push_back(std::move(cell));
  }
  cells.push_back(fmt::format("{:.2f}", seconds));
  cells.push_back(flags_of(model, !alone));
  return cells;
}

// Metrics that know what no features at all would score say so in their details.
bool shows_gain(const RankResult& result, const Metric& metric) {
  for (const MetricScore& score : result.models.front().scores) {
    if (score.metric == &metric) return detail(score.score, "gain").has_value();
  }
  return false;
}

TextTable empty_table(const RankResult& result, const Screen& screen) {
  TextTable table;
  table.add_column("rank", Align::right, Keep::always);
  const bool intervals = result.ranking.level > 0.0;
  if (intervals) {
    table.add_column("range", Align::right, Keep::first);
    table.add_column("tie", Align::right, Keep::first);
  }
  table.add_column("model", Align::left, Keep::always);
  if (!result.consensus.empty()) table.add_column("consensus ↓", Align::right, Keep::first);
  if (screen.bars) table.add_column("", Align::left, Keep::last_resort);
  const bool alone = result.metrics.size() == 1;
  for (const Metric* metric : result.metrics) {
    const bool higher = metric->direction == Direction::higher_is_better;
    table.add_column(fmt::format("{} {}", metric->name, higher ? "↑" : "↓"), Align::right,
                     metric == result.by ? Keep::first : Keep::usual);
    if (!alone) continue;
    if (intervals)
      table.add_column(fmt::format("{:g}% interval", 100.0 * result.ranking.level), Align::right);
    if (shows_spread(result)) table.add_column("sd", Align::right);
    if (shows_gain(result, *metric)) table.add_column("gain ↑", Align::right);
  }
  table.add_column("n", Align::right, Keep::detail);
  table.add_column("D", Align::right, Keep::detail);
  if (shows_costs(result)) {
    table.add_column("ms/image ↓", Align::right);
    table.add_column("front", Align::left);
    table.add_column("params", Align::right, Keep::detail);
    table.add_column("size", Align::right, Keep::detail);
  }
  table.add_column("seconds", Align::right, Keep::last_resort);
  table.add_column("flags", Align::left);
  return table;
}

// Where a model lies between the last (no bar) and the first (a full one) by what orders them.
std::string lead_bar(const RankResult& result, const Place& place) {
  constexpr int width = 10;
  const auto value_of = [&](const Place& one) {
    const auto i = static_cast<std::size_t>(one.candidate);
    if (result.by == nullptr) return result.consensus[i];
    for (const MetricScore& score : result.models[i].scores) {
      if (score.metric == result.by) return score.score.value;
    }
    return 0.0;
  };
  const double best = value_of(result.ranking.places.front());
  const double worst = value_of(result.ranking.places.back());
  return best == worst ? "" : share_bar((value_of(place) - worst) / (best - worst), width);
}

// The first, and whatever cannot be told from it, stand out; controls stand back.
Tone tone_of(const Place* place, bool intervals) {
  if (place == nullptr) return Tone::faint;
  const bool first = intervals ? place->tie_group == 1 : place->rank == 1;
  return first ? Tone::strong : Tone::plain;
}

}  // namespace

std::string rank_heading(const RankResult& result) {
  const char* what = result.target_kind == TargetKind::classes      ? "classes"
                     : result.target_kind == TargetKind::regression ? "regression target(s)"
                     : result.target_kind == TargetKind::soft_classes
                         ? "classes with soft labels"
                         : "labels of a multi-label task";
  return fmt::format("{} models, {} samples, {} {}{}\n", result.models.size(),
                     with_thousands(result.models.front().samples), result.columns, what,
                     result.ranking.level > 0.0 ? fmt::format("; intervals from {} {}",
                                                              with_thousands(result.ranking.units),
                                                              interval_source(result))
                     : result.draws > 0         ? fmt::format("; {} draws", result.draws)
                                                : "");
}

std::string rank_table(const RankResult& result, const Screen& screen) {
  TextTable table = empty_table(result, screen);
  const bool intervals = result.ranking.level > 0.0;
  const auto add = [&](const ScoredModel& model, const Place* place) {
    std::vector<std::string> cells = {place != nullptr ? std::to_string(place->rank) : "-"};
    if (intervals) {
      cells.push_back(place != nullptr ? range_text(*place) : "-");
      cells.push_back(place != nullptr ? std::to_string(place->tie_group) : "-");
    }
    cells.push_back(place != nullptr ? model.name : fmt::format("({} control)", model.name));
    if (!result.consensus.empty()) {
      cells.push_back(
          place != nullptr
              ? fmt::format("{:.1f}", result.consensus[static_cast<std::size_t>(place->candidate)])
              : "-");
    }
    if (screen.bars) cells.push_back(place != nullptr ? lead_bar(result, *place) : "");
    for (std::string& cell : score_cells(model, result)) cells.push_back(std::move(cell));
    table.add_row(std::move(cells), tone_of(place, intervals));
  };
  for (const Place& place : result.ranking.places) {
    add(result.models[static_cast<std::size_t>(place.candidate)], &place);
  }
  for (const ScoredModel& control : result.controls) add(control, nullptr);
  return table.str(screen);
}

std::string rank_csv(const RankResult& result) {
  std::string out = "name,rank,rank_low,rank_high,tie_group,n,dim";
  const bool costs = shows_costs(result);
  if (costs) out += ",latency_ms,params,size_bytes,pareto";
  if (!result.consensus.empty()) out += ",consensus";
  for (const Metric* metric : result.metrics)
    out += fmt::format(",{0},{0}_low,{0}_high", metric->name);
  out += "\n";
  const auto optional_cell = [](const std::optional<Index>& value) {
    return value ? std::to_string(*value) : "";
  };
  for (const Place& place : result.ranking.places) {
    const ScoredModel& model = result.models[static_cast<std::size_t>(place.candidate)];
    out += fmt::format("{},{},{},{},{},{},{}", csv_cell(model.name), place.rank,
                       optional_cell(place.rank_low), optional_cell(place.rank_high),
                       place.tie_group > 0 ? std::to_string(place.tie_group) : "", model.samples,
                       model.dim);
    if (costs && model.cost) {
      out +=
          fmt::format(",{},{},{},{}", model.cost->latency_ms,
                      model.cost->params > 0 ? std::to_string(model.cost->params) : std::string(),
                      static_cast<Index>(model.cost->bytes), model.pareto ? 1 : 0);
    } else if (costs) {
      out += ",,,,";
    }
    if (!result.consensus.empty())
      out += fmt::format(",{}", result.consensus[static_cast<std::size_t>(place.candidate)]);
    for (const MetricScore& score : model.scores) {
      const std::optional<Interval> interval = score_interval(score, result.ranking.level);
      out += std::isfinite(score.score.value) ? fmt::format(",{}", score.score.value) : ",";
      out += interval ? fmt::format(",{},{}", interval->low, interval->high) : ",,";
    }
    out += "\n";
  }
  return out;
}

}  // namespace assay
