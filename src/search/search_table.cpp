#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "report/csv_cell.h"
#include "report/table.h"
#include "search/search_report.h"

namespace assay {
namespace {

// Beyond these, rows say little: the JSON and the CSV have all.
constexpr std::size_t kMostRows = 40;

std::string seconds_text(double seconds) {
  if (seconds >= 3600.0) return fmt::format("{:.1f} h", seconds / 3600.0);
  if (seconds >= 60.0) return fmt::format("{:.1f} min", seconds / 60.0);
  return fmt::format("{:.1f} s", seconds);
}

std::string end_of(const RacedModel& model) {
  const std::string at = with_thousands(model.samples());
  switch (model.state) {
    case RaceState::contender:
      return "may be the best";
    case RaceState::dropped:
      return fmt::format("not the best, known at {}", at);
    case RaceState::set_aside:
      return fmt::format("set aside at {} for want of budget", at);
    case RaceState::untried:
      break;
  }
  return "not tried: the budget had ended";
}

std::string bound_of(const RaceLook& look) {
  if (look.difference == 0.0) return "-";
  return look.high ? fmt::format("{:+.4f}", *look.high) : "-";
}

void add_model(TextTable& table, const RacedModel& model, std::size_t rank) {
  const Tone tone = model.reported                        ? Tone::strong
                    : model.state == RaceState::contender ? Tone::plain
                                                          : Tone::faint;
  if (model.looks.empty()) {
    table.add_row({fmt::format("{}", rank), model.name, "-", "-", "-", "0", "-", end_of(model)},
                  tone);
    return;
  }
  const RaceLook& last = model.looks.back();
  table.add_row({fmt::format("{}", rank), model.name, fmt::format("{:.4f}", last.value),
                 fmt::format("{:+.4f}", last.difference), bound_of(last),
                 with_thousands(last.samples), seconds_text(model.seconds), end_of(model)},
                tone);
}

}  // namespace

std::string search_heading(const SearchResult& result) {
  const double share = result.full_passes > 0 ? 100.0 * static_cast<double>(result.passes) /
                                                    static_cast<double>(result.full_passes)
                                              : 0.0;
  return fmt::format(
      "{} models, {} samples, a race by {} ({}): {} of {} {} ({:.1f} %) in {}, about {} saved\n",
      with_thousands(static_cast<Index>(result.models.size())), with_thousands(result.samples),
      result.by->name, result.by->unit, with_thousands(result.passes),
      with_thousands(result.full_passes), result.networks ? "images" : "rows", share,
      seconds_text(result.seconds), seconds_text(result.seconds_saved));
}

std::string search_table(const SearchResult& result, const Screen& screen) {
  TextTable table;
  table.add_column("rank", Align::right, Keep::first);
  table.add_column("model", Align::left, Keep::always);
  table.add_column(std::string(result.by->name), Align::right, Keep::first);
  table.add_column("to leader", Align::right);
  table.add_column("at most", Align::right, Keep::detail);
  table.add_column("samples", Align::right);
  table.add_column("time", Align::right, Keep::detail);
  table.add_column("", Align::left);
  const std::size_t shown = std::min(result.models.size(), kMostRows);
  for (std::size_t k = 0; k < shown; ++k) add_model(table, result.models[k], k + 1);
  std::string text = table.str(screen);
  if (shown < result.models.size())
    text += fmt::format("... and {} more, in JSON and CSV\n", result.models.size() - shown);
  return text;
}

std::string search_csv(const SearchResult& result) {
  std::string out =
      fmt::format("name,rank,reported,state,{},difference,high,samples,seconds\n", result.by->name);
  for (std::size_t k = 0; k < result.models.size(); ++k) {
    const RacedModel& model = result.models[k];
    out += fmt::format("{},{},{},{}", csv_cell(model.name), k + 1, model.reported ? 1 : 0,
                       race_state_name(model.state));
    if (model.looks.empty()) {
      out += ",,,,0,0\n";
      continue;
    }
    const RaceLook& last = model.looks.back();
    out += fmt::format(",{},{},{},{},{:.4f}\n", last.value, last.difference,
                       last.high ? fmt::format("{}", *last.high) : "", last.samples, model.seconds);
  }
  return out;
}

}  // namespace assay
