#include <fmt/format.h>

#include <cmath>

#include "assay/correlation.h"
#include "rank/hub_settings.h"
#include "rank/rank_report.h"
#include "report/table.h"

namespace assay {
namespace {

std::string study_number(const std::optional<double>& value) {
  if (!value) return "-";
  return std::isfinite(*value) ? fmt::format("{:.3g}", *value) : "inf";
}

std::string table_of(const RankResult& result, const Metric* metric,
                     const std::vector<SettingStudy>& studies,
                     const std::map<std::string, double>& truth, const Screen& screen) {
  TextTable table;
  table.add_column(fmt::format("{} with", metric->name), Align::left, Keep::always);
  table.add_column(
      fmt::format("spread {} / {}", metric->setting_parts[0], metric->setting_parts[1]),
      Align::right);
  table.add_column(fmt::format("tau with {} \u2191", metric->setting_judge), Align::right);
  if (!truth.empty()) table.add_column("tau with the truth \u2191", Align::right);
  const auto chosen = result.settings.find(metric);
  for (std::size_t k = 0; k < studies.size(); ++k) {
    std::vector<std::string> cells = {std::string(studies[k].name),
                                      study_number(studies[k].balance),
                                      study_number(studies[k].agreement)};
    if (!truth.empty())
      cells.push_back(study_number(truth_agreement(result, metric, studies[k], truth)));
    const bool used = chosen != result.settings.end() && chosen->second == k;
    table.add_row(std::move(cells), used ? Tone::strong : Tone::plain);
  }
  return table.str(screen);
}

}  // namespace

std::optional<double> truth_agreement(const RankResult& result, const Metric* metric,
                                      const SettingStudy& study,
                                      const std::map<std::string, double>& truth) {
  const double sign = metric->direction == Direction::higher_is_better ? 1.0 : -1.0;
  std::vector<double> values;
  std::vector<double> measured;
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const auto known = truth.find(result.models[i].name);
    if (known == truth.end()) continue;
    values.push_back(sign * study.values[i]);
    measured.push_back(known->second);
  }
  return kendall_tau(values, measured);
}

std::string settings_table(const RankResult& result, const std::map<std::string, double>& truth,
                           const Screen& screen) {
  std::string text;
  for (const auto& [metric, studies] : result.setting_studies)
    text += "\n" + table_of(result, metric, studies, truth, screen);
  return text;
}

}  // namespace assay
